import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { describeRun, readRows, runFacts } from "../faults/matrix/runs.js";

/** From `dist/test/soak`. */
const file = join(import.meta.dirname, "../../../test/soak/runs.jsonl");

/** Shorter runs see too little of memory to be kept. */
const LEAST_MINUTES = 30;

const soakSchema = runFacts.extend({
  minutes: z.number(),
  faults: z.int(),
  /** Each load by its name: what was complete, and what was refused or broken off. */
  loads: z.array(z.object({ name: z.string(), complete: z.int(), refused: z.int() })),
  /** In words; empty where nothing was lost and nothing grew. */
  problems: z.array(z.string()),
});
export type SoakRun = z.infer<typeof soakSchema>;

/** Every run that was kept, oldest first. */
export const readSoakRuns = (): SoakRun[] => readRows(file, soakSchema);

/** Keeps a run, for `docs/reliability.md`, if it was long enough; gives the file, null where it is not kept. */
export function addSoakRun(
  startedAt: Date,
  run: Pick<SoakRun, "minutes" | "faults" | "loads" | "problems">,
): string | null {
  if (run.minutes < LEAST_MINUTES) return null;
  appendFileSync(file, `${JSON.stringify({ ...describeRun(startedAt), ...run } satisfies SoakRun)}\n`);
  return file;
}
