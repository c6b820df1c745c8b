import type { TestCluster } from "#test/harness/cluster";
import type { CapacitySearch } from "./capacity-search.js";
import { generateLoad } from "./generator.js";
import type { LoadRun, SearchedStreams } from "./run.js";
import { searchStreams } from "./run.js";
import { texts } from "./texts.js";

/** Within it the first streams of a cluster begin, one after the other. */
const WARM_UP_MS = 8000;

/** What a cluster can bear. */
export interface Capacity {
  /** Streams at once, without a gap, a refusal or a failure. */
  streams: number;
  /** Streams that begin in a second when so many are always there. */
  perSecond: number;
}

/** Finds what a cluster can bear. Throws when not even the fewest streams tried ran as they should. */
export async function findCapacity(
  cluster: TestCluster,
  search: CapacitySearch,
  report: (run: LoadRun) => void,
): Promise<Capacity> {
  await warmUp(cluster, search);
  const asked: SearchedStreams = { ...search, wordsPerSecond: null, isUrgent: true };
  const { runs, mostWithoutGap } = await searchStreams(cluster, asked, report);
  const alone = runs[0];
  if (mostWithoutGap === null || alone === undefined)
    throw new RangeError(`no run was without a gap: ${JSON.stringify(runs.map(({ streams }) => streams))} streams`);
  return { streams: mostWithoutGap, perSecond: mostWithoutGap / meanSeconds(alone) };
}

const meanSeconds = ({ audioSeconds, streams, failed }: LoadRun): number => audioSeconds / (streams - failed);

/** The first streams of a cluster are slow, and what is slow is refused: they say nothing about its capacity. */
async function warmUp({ baseUrl, apiKey }: TestCluster, search: CapacitySearch): Promise<void> {
  const { format, sampleRate, seed } = search;
  await generateLoad({
    ...{ baseUrl, apiKey, audio: { format, sampleRate }, streams: texts.length, wordsPerSecond: null, seed },
    ...{ rampMs: WARM_UP_MS, headStartMs: 0, isUrgent: false },
  });
}
