import { setTimeout as wait } from "node:timers/promises";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { addTeamTo } from "../harness/team.js";
import { type Fault, kill, pause } from "../faults/matrix/fault.js";
import type { FaultCluster } from "../faults/matrix/fault-cluster.js";
import { openStream, streamRequests } from "../faults/matrix/streams.js";
import { bookedUsage } from "../faults/matrix/usage.js";
import { compatAgain, type Load, recordsAgain, speakRecording, streamAgain, transcribeAgain } from "./load.js";
import { findGrowth, type ProcessSamples, sampleProcesses } from "./process-samples.js";
import type { SoakRun } from "./runs.js";

const FAULT_EVERY_MS = 20_000;
const SAMPLE_EVERY_MS = 5000;
/** One every 20 s, less what the faults themselves last. */
const LEAST_FAULTS_A_MINUTE = 2;
/** What is spoken once, and transcribed again and again. */
const RECORDED_TEXT =
  "The bridge over the river was opened again this morning. Two hundred people walked across it in the rain.";
const COMPAT_TEXT = "The bridge over the river was opened again this morning.";

/** An edge, a worker and a scheduler live through all of it: it is their memory that is watched. */
const faults: readonly Fault[] = [
  ...["worker-2", "control-plane", "scheduler-2", "redis", "nats"].map(kill),
  pause("worker-2", 4000),
];

/** What is asked, and who is told how it goes, a line at a time. */
interface Setting {
  cluster: TestCluster;
  say(this: void, line: string): void;
}

/** What a soak came to. */
export type SoakResult = Pick<SoakRun, "faults" | "loads" | "problems">;

/**
 * Asks a cluster of its own for live streams, files, recordings, OpenAI's speech and writes of records at once for so
 * many minutes, with a fault every 20 s; then holds every bill against what was received, every record against its
 * acknowledgement, and the memory and open files of processes against themselves. A clear refusal while something is
 * away is no problem. Rejects where the cluster does not start.
 */
export async function runSoak(minutes: number, say: (line: string) => void): Promise<SoakResult> {
  const cluster = await startCluster({
    ...{ schedulers: 2, workers: 2, readyMs: 180_000, models: allModels },
    settings: { PARLEY_ADMISSION_WAIT_MS: "600000", PARLEY_SAMPLE: "off" },
  });
  const result: SoakResult = { faults: 0, loads: [], problems: [] };
  const samples: ProcessSamples = new Map();
  try {
    const loads = await startLoads({ cluster, say });
    const ending = new AbortController();
    const sampling = every(SAMPLE_EVERY_MS, ending.signal, async () => sampleProcesses(cluster, samples));
    result.faults = await breakThings({ cluster, say }, performance.now() + minutes * 60_000);
    ending.abort();
    await sampling;
    for (const load of loads) {
      const { wrong, ...tally } = await load.settle();
      result.problems.push(...wrong);
      result.loads.push(tally);
      if (tally.complete === 0) result.problems.push(`${tally.name}: nothing was complete`);
    }
    if (result.faults < minutes * LEAST_FAULTS_A_MINUTE) result.problems.push(`only ${result.faults} faults`);
    result.problems.push(...findGrowth(samples));
    for (const [life, { length }] of samples) say(`${life}: ${length} samples`);
  } finally {
    await cluster.stop();
  }
  for (const problem of result.problems) say(`PROBLEM ${problem}`);
  if (result.problems.length > 0)
    for (const { name, level, text } of cluster.complaints.filter(({ level }) => level !== "warn"))
      say(`  ${name}, ${level}: ${text}`);
  return result;
}

/** Does one fault after the other until then; gives their number. */
async function breakThings({ cluster, say }: Setting, untilMs: number): Promise<number> {
  for (let done = 0; ; done++) {
    await wait(Math.max(0, Math.min(FAULT_EVERY_MS, untilMs - performance.now())));
    const fault = faults[done % faults.length];
    if (fault === undefined || performance.now() >= untilMs) return done;
    say(fault.what);
    const over = await fault.begin({ cluster } as FaultCluster);
    await wait(fault.lastsMs);
    await over();
  }
}

/** What a load came to, and what is wrong with it, in words. */
type Settled = SoakRun["loads"][number] & { wrong: string[] };

interface SettledLoad {
  /** Ends it. */
  settle(): Promise<Settled>;
}

async function startLoads(setting: Setting): Promise<SettledLoad[]> {
  const { cluster, say } = setting;
  const quiet = { onSent: () => undefined, onAudio: () => undefined, onEnd: () => undefined };
  const loads: SettledLoad[] = [];
  for (const request of streamRequests) {
    const [reference, apiKey] = [await addTeamTo(cluster, "undisturbed"), await addTeamTo(cluster, "soak")];
    const undisturbed = await openStream(cluster, reference, request, quiet);
    const { characters } = await bookedUsage(cluster, reference, ({ requests }) => requests === 1);
    const load = streamAgain(cluster, apiKey, request, undisturbed);
    loads.push(billed(setting, { name: `${request.kind} ${request.format}`, apiKey, characters, load }));
  }
  const [compatReference, compatKey] = [await addTeamTo(cluster, "undisturbed"), await addTeamTo(cluster, "soak")];
  await compatAgain(cluster, compatReference, COMPAT_TEXT).end();
  const { characters } = await bookedUsage(cluster, compatReference, ({ requests }) => requests === 1);
  const compat = compatAgain(cluster, compatKey, COMPAT_TEXT);
  loads.push(billed(setting, { name: "compat", apiKey: compatKey, characters, load: compat }));
  const recording = await speakRecording(cluster, RECORDED_TEXT);
  const apiKey = await addTeamTo(cluster, "soak");
  const recordings = transcribeAgain(cluster, apiKey, recording);
  loads.push(billed(setting, { name: "recordings", apiKey, characters: 0, load: recordings }));
  const recordsKey = cluster.apiKey;
  const records = recordsAgain(cluster, recordsKey);
  loads.push({
    async settle() {
      await records.end();
      const { complete, failures } = records.tally;
      say(`records: ${complete} written, ${failures.length} refused`);
      const wrong: string[] = [];
      for (const [id, isThere] of records.agents) {
        const headers = { authorization: `Bearer ${recordsKey}` };
        const { status } = await fetch(`${cluster.baseUrl}/v1/agent/agents/${id}`, { headers });
        if (status !== (isThere ? 200 : 404)) wrong.push(`agent ${id} answers ${status}`);
      }
      if (complete === 0) wrong.push("no record was written");
      return { name: "records", complete, refused: failures.length, wrong };
    },
  });
  return loads;
}

/** A load whose bill is what was received: exactly where nothing failed, and no more than what was asked for. */
function billed(
  { cluster, say }: Setting,
  { name, apiKey, characters, load }: { name: string; apiKey: string; characters: number; load: Load },
): SettledLoad {
  return {
    async settle() {
      await load.end();
      const { complete, failures, violations } = load.tally;
      // Requests that were refused are booked too: their number alone says nothing of the last ones that were served.
      const bill = await bookedUsage(
        cluster,
        apiKey,
        (booked) => booked.requests >= complete && booked.characters >= complete * characters,
      );
      say(`${name}: ${complete} complete, ${failures.length} failed, ${JSON.stringify(bill)}`);
      for (const failure of new Set(failures)) say(`  ${failure}`);
      const most = complete + failures.length;
      const isRight =
        bill.requests >= complete &&
        bill.requests <= most &&
        bill.characters >= complete * characters &&
        bill.characters <= most * characters;
      const wrong = [
        ...violations.map((violation) => `${name}: ${violation}`),
        ...(isRight ? [] : [`${name}: charged ${JSON.stringify(bill)} for ${complete} to ${most} times ${characters}`]),
        ...(complete === 0 ? [`${name}: nothing was complete`] : []),
      ];
      return { name, complete, refused: failures.length, wrong };
    },
  };
}

async function every(intervalMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work();
    // Aborted in the middle of it, it is over.
    await wait(intervalMs, undefined, { signal }).catch(() => undefined);
  }
}
