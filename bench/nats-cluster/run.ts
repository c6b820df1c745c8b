import { setTimeout as delay } from "node:timers/promises";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { closeAudible, findOnset, type Onset } from "../audible.js";
import { receivedAfterMs, receivedWhole, REST_MS } from "../first-audio/received.js";
import { openStream } from "../live-socket.js";
import { texts } from "../live-streams/texts.js";
import { watchOthers } from "../machine.js";
import { overRounds, type Spread, spread } from "../statistics.js";
import { objections } from "../validity.js";
import type { NatsClusterScenario } from "./scenario.js";
import { type NatsServers, startNatsServers } from "./servers.js";

const WARM_UP = 15;
/** Two clusters share the machine. */
const READY_MS = 180_000;
/** After the last stream has begun: all of them are being spoken then. */
const KILL_AFTER_MS = 1000;

/** What became of the streams under which a server was killed. */
export interface KillFigures {
  streams: number;
  /** Ended as they should, with the bytes of an undisturbed stream; and with others. */
  equal: number;
  different: number;
  failed: number;
  problems: string[];
}

export interface NatsClusterFigures {
  oneMs: Spread;
  threeMs: Spread;
  /** Three servers over one, and less it, of each round's medians. */
  p50Ratio: ReturnType<typeof overRounds>;
  p50MoreMs: ReturnType<typeof overRounds>;
  p99Ratio: number;
  replicatedStreams: string[];
  kill: KillFigures;
}

/** Measures first audio over one server and over three in turns, then kills one of the three under streams. */
export async function runNatsCluster(
  scenario: NatsClusterScenario,
): Promise<{ figures: NatsClusterFigures; invalid: string[] }> {
  const servers = await startNatsServers();
  const clusters: TestCluster[] = [];
  try {
    const common = { workers: scenario.workers, readyMs: READY_MS };
    const one = await startCluster(common);
    clusters.push(one);
    const three = await startCluster({ ...common, settings: { NATS_URL: servers.url } });
    clusters.push(three);
    const replicatedStreams = await servers.replicate();
    const onset = await findOnset(await receivedWhole(one, scenario), scenario);
    if (onset === null) throw new Error("what was received is silence");
    await clauses([one, three], scenario, { onset, count: WARM_UP });
    const others = watchOthers();
    const rounds: { one: number[]; three: number[] }[] = [];
    for (let round = 0; round < scenario.rounds; round++) {
      const [first = [], second = []] = await clauses([one, three], scenario, { onset, count: scenario.perRound });
      rounds.push({ one: first, three: second });
    }
    // The killed server's time would count as somebody else's.
    const load = others.read();
    const kill = await killUnderStreams({ one, three, servers }, scenario);
    const invalid = objections({ load, errors: kill.failed + kill.different });
    return { figures: { ...latencies(rounds), replicatedStreams, kill }, invalid };
  } finally {
    await Promise.all([...clusters.map((cluster) => cluster.stop()), closeAudible()]);
    await servers.stop();
  }
}

/** Clauses of each cluster, one of each in turn. */
async function clauses(
  clusters: readonly TestCluster[],
  scenario: NatsClusterScenario,
  { onset, count }: { onset: Onset; count: number },
): Promise<number[][]> {
  const received = clusters.map((): number[] => []);
  for (let i = 0; i < count; i++)
    for (const [index, cluster] of clusters.entries()) {
      received[index]?.push(await receivedAfterMs(cluster, scenario, onset));
      await delay(REST_MS);
    }
  return received;
}

function latencies(
  rounds: readonly { one: number[]; three: number[] }[],
): Pick<NatsClusterFigures, "oneMs" | "threeMs" | "p50Ratio" | "p50MoreMs" | "p99Ratio"> {
  const medians = rounds.map(({ one, three }) => ({ one: spread(one).p50, three: spread(three).p50 }));
  const [oneMs, threeMs] = [spread(rounds.flatMap(({ one }) => one)), spread(rounds.flatMap(({ three }) => three))];
  return {
    oneMs,
    threeMs,
    p50Ratio: overRounds(medians.map(({ one, three }) => three / one)),
    p50MoreMs: overRounds(medians.map(({ one, three }) => three - one)),
    p99Ratio: threeMs.p99 / oneMs.p99,
  };
}

/** The roles are connected to the first of the servers, which is the one that dies. */
async function killUnderStreams(
  { one, three, servers }: { one: TestCluster; three: TestCluster; servers: NatsServers },
  scenario: NatsClusterScenario,
): Promise<KillFigures> {
  const { format, sampleRate, streams, everyMs } = scenario;
  const request = { format, sample_rate: sampleRate };
  const wanted: Uint8Array[] = [];
  for (const text of texts) wanted.push(await receivedWhole(one, { ...scenario, text }));
  const speak = async (index: number): Promise<{ problem: string | null; isEqual: boolean }> => {
    await delay(index * everyMs);
    const stream = await openStream({ ...three, request }, Number.POSITIVE_INFINITY);
    stream.send(texts[index % texts.length] ?? "");
    stream.stop();
    const problem = await stream.over;
    return { problem, isEqual: Buffer.compare(stream.audio(), wanted[index % texts.length] ?? Buffer.of()) === 0 };
  };
  const running = Array.from({ length: streams }, (_, index) => speak(index));
  await delay(streams * everyMs + KILL_AFTER_MS);
  await servers.killFirst();
  const ended = await Promise.all(running);
  const good = ended.filter(({ problem }) => problem === null);
  return {
    streams,
    equal: good.filter(({ isEqual }) => isEqual).length,
    different: good.filter(({ isEqual }) => !isEqual).length,
    failed: streams - good.length,
    problems: [...new Set(ended.flatMap(({ problem }) => problem ?? []))],
  };
}
