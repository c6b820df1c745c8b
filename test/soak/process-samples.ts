import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestCluster } from "../harness/cluster.js";
import { memoryOf } from "../harness/memory.js";

/** What a process had at one moment. */
export interface ProcessSample {
  residentMb: number;
  /** How many it had open by what they are, such as `socket` or a folder; without those of embedded engines. */
  descriptors: Readonly<Record<string, number>>;
}

/** Samples of each life of each process, oldest first, by `name#life`. */
export type ProcessSamples = Map<string, ProcessSample[]>;

/** Adds a sample of every process that lives. */
export function sampleProcesses(cluster: TestCluster, samples: ProcessSamples): void {
  for (const { name, pid, lives } of cluster.processes()) {
    if (pid === null) continue;
    try {
      const sample = { residentMb: memoryOf(pid).nowMb, descriptors: openFiles(cluster, pid) };
      const life = `${name}#${lives}`;
      samples.set(life, [...(samples.get(life) ?? []), sample]);
    } catch {
      // It was killed between two lines: it has no memory any more.
    }
  }
}

/**
 * What a process has open, less what embedded engines have. Postgres keeps open what it has once touched, some hundred
 * files at the most, and opens dozens at once when it first cleans its tables; ClickHouse has three files of `/proc` open
 * for each of its threads, of which it begins more as it needs them: neither is a trend.
 */
function openFiles({ dataDirectory }: TestCluster, pid: number): Record<string, number> {
  // What the kernel names has no symbolic link in it.
  const directory = realpathSync(dataDirectory);
  const ofEngines = [join(directory, "database/"), join(directory, "analytics/"), `/proc/${pid}/task/`];
  const counts: Record<string, number> = {};
  for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${descriptor}`);
      if (ofEngines.some((place) => target.startsWith(place))) continue;
      const kind = kindOf(target);
      counts[kind] = (counts[kind] ?? 0) + 1;
    } catch {
      // It was closed between two lines.
    }
  }
  return counts;
}

/** The folder of a file; what the kernel calls anything else, without its number: `socket`, `anon_inode:[eventfd]`. */
function kindOf(target: string): string {
  return target.startsWith("/") ? dirname(target) : target.replace(/:\[\d+\]$/, "");
}

/** Fewer than this many say nothing of a trend. */
const LEAST_SAMPLES = 18;
/** What a process may have more of, in the last third of its life than in the second. */
const MORE_MEMORY = 0.15;
const MORE_MB = 20;
const MORE_DESCRIPTORS = 8;

/**
 * Which processes grow, in words: the median of the last third of a life is held against that of the second; in the
 * first, caches and engines fill.
 */
export function findGrowth(samples: ProcessSamples): string[] {
  return [...samples].flatMap(([life, all]) => {
    if (all.length < LEAST_SAMPLES) return [];
    const third = Math.floor(all.length / 3);
    const [second, last] = [all.slice(third, 2 * third), all.slice(2 * third)];
    const memory = change(second, last, ({ residentMb }) => residentMb);
    const open = change(second, last, openFilesOf);
    return [
      ...(memory.to > memory.from * (1 + MORE_MEMORY) + MORE_MB
        ? [`${life} grew from ${memory.from} to ${memory.to} MB`]
        : []),
      ...(open.to > open.from + MORE_DESCRIPTORS
        ? [`${life} had ${open.from} open files, then ${open.to}: ${moreOpen(second, last)}`]
        : []),
    ];
  });
}

function change(
  before: readonly ProcessSample[],
  after: readonly ProcessSample[],
  of: (sample: ProcessSample) => number,
): { from: number; to: number } {
  return { from: median(before.map(of)), to: median(after.map(of)) };
}

const openFilesOf = ({ descriptors }: ProcessSample): number =>
  Object.values(descriptors).reduce((sum, count) => sum + count, 0);

/** Of what there are more, such as `socket 4 to 20`. */
function moreOpen(before: readonly ProcessSample[], after: readonly ProcessSample[]): string {
  const kinds = new Set([...before, ...after].flatMap(({ descriptors }) => Object.keys(descriptors)));
  return [...kinds]
    .map((kind) => ({ kind, ...change(before, after, ({ descriptors }) => descriptors[kind] ?? 0) }))
    .filter(({ from, to }) => to > from)
    .map(({ kind, from, to }) => `${kind} ${from} to ${to}`)
    .join(", ");
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
