import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { watchOthers } from "../machine.js";
import { objections } from "../validity.js";
import { badFiles } from "./bad-files.js";
import { npmStart, processesOf, type StartedService } from "./npm-start.js";
import type { MemoryScenario } from "./scenario.js";

const READY_MS = 300_000;
/** The first start on a machine builds LiveKit's server, which takes as much memory as a role or two. */
const BUILT_MS = 1_800_000;
const LOOK_EVERY_MS = 1000;

/** Memory of all processes of a name, megabytes (proc(5), smaps_rollup and status). */
export interface NamedMemory {
  name: string;
  processes: number;
  /** As it is commonly added up: pages that several share count for each. */
  residentMb: number;
  /** Pages that several share are divided among them. */
  proportionalMb: number;
}

export interface MemoryFigures {
  atRest: NamedMemory[];
  edge: { beforeMb: number; mostMb: number };
  statuses: Record<string, number>;
}

/** Starts what `npm start` starts, lets it rest and reads its memory; then sends the edge recordings that are none. */
export async function runMemory(scenario: MemoryScenario): Promise<{ figures: MemoryFigures; invalid: string[] }> {
  const others = watchOthers();
  const files = badFiles(scenario.seed);
  const service = await npmStart(READY_MS);
  try {
    await untilBuilt(service.pid);
    await delay(scenario.restMs);
    const atRest = readMemory(service.pid);
    const edge = processesOf(service.pid).find(({ name }) => name === "edge")?.pid;
    if (edge === undefined) throw new RangeError("the edge does not run");
    const beforeMb = megabytes(edge, "status", "VmRSS");
    const statuses = await sendAll(service, files, scenario);
    const mostMb = megabytes(edge, "status", "VmHWM");
    const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const invalid = objections({ load: others.read(), errors: scenario.files - answered });
    return { figures: { atRest, edge: { beforeMb, mostMb }, statuses }, invalid };
  } finally {
    await service.stop();
  }
}

/** Resolves when no compiler runs any more. Throws when one still does after `BUILT_MS`. */
async function untilBuilt(pid: number): Promise<void> {
  const deadlineMs = performance.now() + BUILT_MS;
  while (processesOf(pid).some(({ name }) => name === "go")) {
    if (performance.now() > deadlineMs) throw new Error(`LiveKit's server was not built within ${BUILT_MS} ms`);
    await delay(LOOK_EVERY_MS);
  }
}

function readMemory(pid: number): NamedMemory[] {
  const byName = new Map<string, NamedMemory>();
  for (const process of processesOf(pid)) {
    const { name } = process;
    const sum = byName.get(name) ?? { name, processes: 0, residentMb: 0, proportionalMb: 0 };
    sum.processes++;
    sum.residentMb += megabytes(process.pid, "smaps_rollup", "Rss");
    sum.proportionalMb += megabytes(process.pid, "smaps_rollup", "Pss");
    byName.set(name, sum);
  }
  return [...byName.values()].toSorted((a, b) => b.residentMb - a.residentMb);
}

function megabytes(pid: number, file: "status" | "smaps_rollup", field: string): number {
  const line = readFileSync(`/proc/${pid}/${file}`, "latin1")
    .split("\n")
    .find((one) => one.startsWith(`${field}:`));
  return Number(line?.match(/\d+/)?.[0]) / 1024;
}

/** Answers by status; what was not answered is in none. */
async function sendAll(
  { baseUrl, apiKey }: StartedService,
  files: readonly Uint8Array[],
  scenario: MemoryScenario,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < scenario.files) {
      const file = files[next++ % files.length] ?? new Uint8Array();
      const form = new FormData();
      form.append("audio", new Blob([file as Uint8Array<ArrayBuffer>]), "recording.bin");
      const headers = { authorization: `Bearer ${apiKey}` };
      const response = await fetch(`${baseUrl}/v1/asr`, { method: "POST", headers, body: form });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: scenario.atOnce }, send));
  return statuses;
}
