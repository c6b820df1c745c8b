import { readFileSync } from "node:fs";
import type { z } from "zod";
import { ModelProblem } from "./folder.js";
import { describeProblems } from "./manifest.js";

/**
 * Reads and checks a JSON file of a model; `name` is what problems call it. Throws `ModelProblem` when it cannot be
 * read or does not fit the schema.
 */
export function readJsonFile<T>(path: string, name: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ModelProblem(`${name} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  const checked = schema.safeParse(value);
  if (!checked.success) throw new ModelProblem(`${name}: ${describeProblems(checked.error)}`);
  return checked.data;
}
