import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { ask } from "../asked-process.js";
import { processSeconds } from "../processor-time.js";
import { residentBytes } from "../resident-memory.js";
import type { ClientTask, TalkReport, Target } from "./messages.js";
import type { SocketsScenario } from "./scenario.js";

/** Time in which a server comes to rest after its sockets were opened. */
const REST_MS = 3000;
/** Time over which the processor time of resting sockets is taken. */
const WATCH_MS = 10_000;

/** A server with sockets, and what they say. */
export interface Served {
  target: Target;
  /** The process that has the sockets. */
  pid: number;
  /** Processor seconds of everything that serves them. */
  allSeconds: () => number;
  opening: Uint8Array[];
  turn: Uint8Array[];
}

/** What the sockets of one server cost it. */
export interface Cost {
  idleBytes: number;
  /** Cores that idle sockets take, all of them together, beyond what the process takes with few. */
  idleCores: number;
  activeBytes: number;
  /** Of the process with the sockets, and of everything behind it, for each second of each active socket. */
  activeMsPerSecond: number;
  allMsPerSecond: number;
  talk: TalkReport;
}

/** Opens the idle sockets, then lets active ones speak beside them. */
export async function measureSockets(client: ChildProcess, served: Served, scenario: SocketsScenario): Promise<Cost> {
  const { target, pid, allSeconds, opening, turn } = served;
  const { warmUpSockets, idleSockets, activeSockets, everyMs, turns } = scenario;
  const carryOut = (task: ClientTask): Promise<TalkReport> => ask<ClientTask, TalkReport>(client, task);
  const spent = async (work: () => Promise<unknown>): Promise<number> => {
    const before = processSeconds(pid);
    await work();
    return processSeconds(pid) - before;
  };
  const watch = (): Promise<unknown> => delay(WATCH_MS);
  // What is loaded and compiled at the first sockets and the first words is not theirs.
  const warmUp = { sockets: warmUpSockets, everyMs: (everyMs * warmUpSockets) / activeSockets, turns: 1 };
  await carryOut({ kind: "talk", target, opening, turn, ...warmUp });
  await delay(REST_MS);
  const [fewBytes, fewSeconds] = [residentBytes(pid), await spent(watch)];
  await carryOut({ kind: "open", target, sockets: idleSockets });
  await delay(REST_MS);
  const [idleBytes, idleSeconds] = [residentBytes(pid), await spent(watch)];
  const allBefore = allSeconds();
  let talk: TalkReport | null = null;
  const activeSeconds = await spent(async () => {
    talk = await carryOut({ kind: "talk", target, sockets: activeSockets, opening, turn, everyMs, turns });
  });
  const allActiveSeconds = allSeconds() - allBefore;
  const activeBytes = residentBytes(pid) - idleBytes;
  await carryOut({ kind: "close" });
  if (talk === null) throw new RangeError("nobody spoke");
  // A socket's last turn ends a whole interval after it began.
  const socketSeconds = (activeSockets * (turns + 1) * everyMs) / 1000;
  return {
    idleBytes: (idleBytes - fewBytes) / idleSockets,
    idleCores: ((idleSeconds - fewSeconds) * 1000) / WATCH_MS,
    activeBytes: activeBytes / activeSockets,
    activeMsPerSecond: (activeSeconds * 1000) / socketSeconds,
    allMsPerSecond: (allActiveSeconds * 1000) / socketSeconds,
    talk,
  };
}
