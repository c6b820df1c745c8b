import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { TestCluster } from "../harness/cluster.js";
import { memoryOf } from "../harness/memory.js";

/** What a process had at one moment. */
export interface ProcessSample {
  residentMb: number;
  /** Without the files of the embedded database. */
  descriptors: number;
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
 * How many files a process has open. Postgres keeps open what it has once touched, some hundred files at the most, and
 * opens dozens at once when it first cleans its tables: that is no trend.
 */
function openFiles({ dataDirectory }: TestCluster, pid: number): number {
  const ofDatabase = join(dataDirectory, "database/");
  const open = readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
    } catch {
      // It was closed between two lines.
      return [];
    }
  });
  return open.filter((target) => !target.startsWith(ofDatabase)).length;
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
    const middle = (of: (sample: ProcessSample) => number): number => median(all.slice(third, 2 * third).map(of));
    const last = (of: (sample: ProcessSample) => number): number => median(all.slice(2 * third).map(of));
    const [memoryBefore, memory] = [middle(({ residentMb }) => residentMb), last(({ residentMb }) => residentMb)];
    const [openBefore, open] = [middle(({ descriptors }) => descriptors), last(({ descriptors }) => descriptors)];
    return [
      ...(memory > memoryBefore * (1 + MORE_MEMORY) + MORE_MB
        ? [`${life} grew from ${memoryBefore} to ${memory} MB`]
        : []),
      ...(open > openBefore + MORE_DESCRIPTORS ? [`${life} had ${openBefore} open files, then ${open}`] : []),
    ];
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
