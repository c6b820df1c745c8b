/** What the whole of Parley holds in memory at rest, and what an edge holds while it refuses bad recordings. */
export interface MemoryScenario {
  kind: "memory";
  name: string;
  /** Rest after all roles are ready. */
  restMs: number;
  /** Bad recordings, and how many are sent at once. */
  files: number;
  atOnce: number;
  seed: number;
}

export const memory: MemoryScenario = {
  kind: "memory",
  name: "memory-of-npm-start",
  restMs: 30_000,
  files: 240,
  atOnce: 16,
  seed: 1,
};
