import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { z } from "zod";

/** From `dist/test/faults/matrix`. */
const root = join(import.meta.dirname, "../../../..");
const file = join(root, "test/faults/matrix/runs.jsonl");

const cellResult = z.object({
  /** In words; empty where every promise was kept. */
  violations: z.array(z.string()),
  complete: z.int(),
  errors: z.int(),
  lateMs: z.int(),
  backMs: z.int(),
});

/** When, of what and where a run was. */
export const runFacts = z.object({
  /** ISO 8601, UTC. */
  at: z.string(),
  commit: z.string(),
  /** Whether the sources were others than the commit's. */
  changed: z.boolean(),
  machine: z.string(),
});

const runSchema = runFacts.extend({
  /** By the cell's id. */
  results: z.record(z.string(), cellResult),
});
export type Run = z.infer<typeof runSchema>;

/** Every run so far, oldest first. */
export const readRuns = (): Run[] => readRows(file, runSchema);

/** The rows of a file of JSON lines, oldest first; none where there is no file. Throws when one does not fit the schema. */
export function readRows<Row>(path: string, schema: z.ZodType<Row>): Row[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => schema.parse(JSON.parse(line)));
}

/** Adds a run; gives the file. */
export function addRun(startedAt: Date, results: Run["results"]): string {
  appendFileSync(file, `${JSON.stringify({ ...describeRun(startedAt), results } satisfies Run)}\n`);
  return file;
}

/** The facts of a run of the sources as they are now, on this machine. */
export function describeRun(startedAt: Date): z.infer<typeof runFacts> {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  return {
    at: startedAt.toISOString(),
    commit: git("rev-parse", "--short=8", "HEAD"),
    changed: git("status", "--porcelain", "--untracked-files=no") !== "",
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, Node.js ${process.version}`,
  };
}
