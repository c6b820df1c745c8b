import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { allModels, startCluster } from "../harness/cluster.js";
import { addTeamTo } from "../harness/team.js";
import { type Fault, kill, pause } from "../faults/matrix/fault.js";
import type { FaultCluster } from "../faults/matrix/fault-cluster.js";
import { openStream, streamRequests } from "../faults/matrix/streams.js";
import { bookedUsage } from "../faults/matrix/usage.js";
import { compatAgain, type Load, recordsAgain, speakRecording, streamAgain, transcribeAgain } from "./load.js";
import { findGrowth, type ProcessSamples, sampleProcesses } from "./process-samples.js";
import { addSoakRun, type SoakRun } from "./runs.js";

/*
 * `npm run soak`: live streams, files, recordings, OpenAI's clients and writes of records at once, with a fault every 20 s; then
 * every bill is held against what was received, every record against its acknowledgement, and the memory and open files
 * of processes against themselves. A clear refusal while something is away is none of these, and is shown.
 *
 *     npm run soak -- --minutes 30
 *
 * A run of half an hour and more is kept, and is what docs/reliability.md says of it (`npm run faults -- report`).
 */

const { values } = parseArgs({ options: { minutes: { type: "string", default: "3" } } });
const minutes = Number(values.minutes);
const startedAt = new Date();
const FAULT_EVERY_MS = 20_000;
const SAMPLE_EVERY_MS = 5000;
/** What is spoken once, and transcribed again and again. */
const RECORDED_TEXT =
  "The bridge over the river was opened again this morning. Two hundred people walked across it in the rain.";
const COMPAT_TEXT = "The bridge over the river was opened again this morning.";

/** An edge, a worker and a scheduler live through all of it: it is their memory that is watched. */
const faults: readonly Fault[] = [
  ...["worker-2", "control-plane", "scheduler-2", "redis", "nats"].map(kill),
  pause("worker-2", 4000),
];

const cluster = await startCluster({
  ...{ schedulers: 2, workers: 2, readyMs: 180_000, models: allModels },
  settings: { PARLEY_ADMISSION_WAIT_MS: "600000", PARLEY_SAMPLE: "off" },
});
const problems: string[] = [];
const tallies: SoakRun["loads"] = [];
let faultsDone = 0;
const samples: ProcessSamples = new Map();
try {
  const loads = await startLoads();
  const ending = new AbortController();
  const sampling = every(SAMPLE_EVERY_MS, ending.signal, async () => sampleProcesses(cluster, samples));
  const untilMs = performance.now() + minutes * 60_000;
  for (let round = 0; performance.now() < untilMs; round++) {
    await wait(Math.min(FAULT_EVERY_MS, untilMs - performance.now()));
    const fault = faults[round % faults.length];
    if (fault === undefined || performance.now() >= untilMs) break;
    console.log(fault.what);
    faultsDone++;
    const over = await fault.begin({ cluster } as FaultCluster);
    await wait(fault.lastsMs);
    await over();
  }
  ending.abort();
  await sampling;
  for (const load of loads) {
    const { wrong, ...tally } = await load.settle();
    problems.push(...wrong);
    tallies.push(tally);
  }
  problems.push(...findGrowth(samples));
  for (const [life, { length }] of samples) console.log(`${life}: ${length} samples`);
} finally {
  await cluster.stop();
}
for (const problem of problems) console.log(`PROBLEM ${problem}`);
if (problems.length > 0)
  for (const { name, level, text } of cluster.complaints.filter(({ level }) => level !== "warn"))
    console.log(`  ${name}, ${level}: ${text}`);
console.log(problems.length === 0 ? "nothing was lost, and nothing grew" : `${problems.length} problems`);
const kept = addSoakRun(startedAt, { minutes, faults: faultsDone, loads: tallies, problems });
if (kept !== null) console.log(`a row is added to ${kept}`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** What a load came to, and what is wrong with it, in words. */
type Settled = SoakRun["loads"][number] & { wrong: string[] };

interface SettledLoad {
  /** Ends it. */
  settle(): Promise<Settled>;
}

async function startLoads(): Promise<SettledLoad[]> {
  const quiet = { onSent: () => undefined, onAudio: () => undefined, onEnd: () => undefined };
  const loads: SettledLoad[] = [];
  for (const request of streamRequests) {
    const [reference, apiKey] = [await addTeamTo(cluster, "undisturbed"), await addTeamTo(cluster, "soak")];
    const undisturbed = await openStream(cluster, reference, request, quiet);
    const { characters } = await bookedUsage(cluster, reference, ({ requests }) => requests === 1);
    const load = streamAgain(cluster, apiKey, request, undisturbed);
    loads.push(billed(`${request.kind} ${request.format}`, apiKey, characters, load));
  }
  const [compatReference, compatKey] = [await addTeamTo(cluster, "undisturbed"), await addTeamTo(cluster, "soak")];
  await compatAgain(cluster, compatReference, COMPAT_TEXT).end();
  const { characters } = await bookedUsage(cluster, compatReference, ({ requests }) => requests === 1);
  loads.push(billed("compat", compatKey, characters, compatAgain(cluster, compatKey, COMPAT_TEXT)));
  const transcriptionKey = await addTeamTo(cluster, "soak");
  loads.push(
    billed(
      "recordings",
      transcriptionKey,
      0,
      transcribeAgain(cluster, transcriptionKey, await speakRecording(cluster, RECORDED_TEXT)),
    ),
  );
  const recordsKey = cluster.apiKey;
  const records = recordsAgain(cluster, recordsKey);
  loads.push({
    async settle() {
      await records.end();
      const { complete, failures } = records.tally;
      console.log(`records: ${complete} written, ${failures.length} refused`);
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
function billed(name: string, apiKey: string, characters: number, load: Load): SettledLoad {
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
      console.log(`${name}: ${complete} complete, ${failures.length} failed, ${JSON.stringify(bill)}`);
      for (const failure of new Set(failures)) console.log(`  ${failure}`);
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
