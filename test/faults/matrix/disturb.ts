import { setTimeout as wait } from "node:timers/promises";
import { addTeamTo } from "../../harness/team.js";
import { until } from "../../harness/processes.js";
import type { Proof, Stage } from "./cell.js";
import type { FaultCluster } from "./fault-cluster.js";
import { openStream, type StreamResult, streamRequests } from "./streams.js";
import { bookedUsage, type Bill } from "./usage.js";
import { judge } from "./verdict.js";

/** All streams without any fault: what those of the cells are held against. */
export interface Reference {
  streams: readonly StreamResult[];
  bill: Bill;
  bytes: number;
}

/** What came of one cell. */
export interface CellResult {
  /** In words; empty where every promise was kept. */
  violations: string[];
  complete: number;
  errors: number;
  /** How much later than undisturbed the last stream ended. */
  lateMs: number;
  /** From the end of the fault until requests of every kind are answered. */
  backMs: number;
}

/** The bill of a cell's team, to be looked at again when all is over. */
export interface CellBill {
  apiKey: string;
  bill: Bill;
}

type Scenario = Extract<Proof, { kind: "scenario" }>;

const BACK_MS = 60_000;
/** A part of all audio, at which a stream is in its middle. */
const MIDDLE = 0.3;

export async function runUndisturbed(under: FaultCluster): Promise<Reference> {
  const apiKey = await addTeam(under, "undisturbed");
  const quiet = { onSent: () => undefined, onAudio: () => undefined, onEnd: () => undefined };
  // The first streams of a cluster find its engines cold.
  await Promise.all(streamRequests.map((request) => openStream(under.cluster, under.cluster.apiKey, request, quiet)));
  const streams = await Promise.all(streamRequests.map((request) => openStream(under.cluster, apiKey, request, quiet)));
  const broken = streams.filter(({ end }) => end !== "complete");
  if (broken.length > 0)
    throw new Error(`undisturbed streams failed: ${broken.map(({ detail }) => detail).join("; ")}`);
  const bill = await bookedUsage(under.cluster, apiKey, ({ requests }) => requests === streams.length);
  return { streams, bill, bytes: streams.reduce((sum, { audio }) => sum + audio.byteLength, 0) };
}

/** Runs all streams with a fault at one stage of theirs, waits until the cluster is whole again, and judges. */
export async function disturb(
  under: FaultCluster,
  cell: { id: string; stage: Stage; scenario: Scenario },
  reference: Reference,
): Promise<{ result: CellResult; bill: CellBill }> {
  const { cluster } = under;
  const { stage, scenario } = cell;
  const apiKey = await addTeam(under, cell.id);
  // The edge knows the key, as it knows those of everybody who has called lately.
  await untilWhole(under, apiKey);
  const beside = await scenario.beside?.(under);
  const besideProblems: string[] = [];
  const moment = watchFor(stage, reference);
  const begin = async (): Promise<() => Promise<void>> => {
    const end = await scenario.fault.begin(under);
    return async () => {
      if (beside !== undefined) besideProblems.push(...(await beside.during()));
      await wait(scenario.fault.lastsMs);
      await end();
    };
  };
  let ending: Promise<void> = Promise.resolve();
  let isLate = false;
  if (stage === "connect") ending = (await begin())();
  const streaming = Promise.all(streamRequests.map((request) => openStream(cluster, apiKey, request, moment.watcher)));
  if (stage !== "connect") {
    await moment.reached;
    ending = (await begin())();
    // At their end, what is left of streams is their bill.
    isLate = stage !== "finalising" && moment.areOver();
  }
  const streams = await streaming;
  await ending;
  const overMs = performance.now();
  await untilWhole(under, cluster.apiKey);
  const backMs = performance.now() - overMs;
  if (beside !== undefined) besideProblems.push(...(await beside.settle()));
  // Who refuses a stream charges nothing, and who breaks one off may.
  const complete = streams.filter(({ end }) => end === "complete").length;
  const bill = await bookedUsage(cluster, apiKey, ({ requests }) => requests >= complete);
  const verdict = judge({ streams, bill, reference, ends: scenario.ends, boundMs: scenario.boundMs });
  verdict.violations.push(...besideProblems);
  if (isLate) verdict.violations.push("every stream was over before the fault began: nothing is proved");
  return { result: { ...verdict, backMs: Math.round(backMs) }, bill: { apiKey, bill } };
}

/** A team of its own, from a control plane that answers: what the cell before did to it is over by then. */
async function addTeam(under: FaultCluster, name: string): Promise<string> {
  await untilWhole(under, under.cluster.apiKey);
  return await addTeamTo(under.cluster, name);
}

/** Resolves `reached` when the streams are at a stage, or are over. */
function watchFor(stage: Stage, { bytes }: Reference) {
  let sent = 0;
  let received = 0;
  let ended = 0;
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const look = (): void => {
    const isThere = {
      connect: true,
      "first-audio": sent === streamRequests.length || received > 0,
      "mid-stream": received > bytes * MIDDLE,
      finalising: ended > 0,
    };
    if (isThere[stage] || ended === streamRequests.length) reach();
  };
  const watcher = {
    onSent: () => {
      sent++;
      look();
    },
    onAudio: (count: number) => {
      received += count;
      look();
    },
    onEnd: () => {
      ended++;
      look();
    },
  };
  return { watcher, reached, areOver: () => ended === streamRequests.length };
}

/** Needs the key to be known, the bus, the control plane and its database to work, and a worker to speak. */
async function untilWhole({ cluster }: FaultCluster, apiKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const isOk = async (path: string, init: RequestInit): Promise<boolean> => {
    try {
      const answer = await fetch(`${cluster.baseUrl}${path}`, {
        ...init,
        headers,
        signal: AbortSignal.timeout(10_000),
      });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      // Nobody listens, or nobody answers: asked again.
      return false;
    }
  };
  await until(() => isOk("/model?self=true", {}), { withinMs: BACK_MS, what: "the control plane to answer" });
  if (apiKey !== cluster.apiKey) return;
  const body = JSON.stringify({ text: "Whole again.", format: "pcm" });
  await until(() => isOk("/v1/tts", { method: "POST", body }), { withinMs: BACK_MS, what: "the cluster to speak" });
}
