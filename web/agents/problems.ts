import type { z } from "zod";
import { ApiFailure, type Problem } from "../api/request.js";

/** What a value lacks to be what the server takes, found with the server's own schema. */
export function problemsOfValue(schema: z.ZodType, value: unknown): Problem[] {
  const checked = schema.safeParse(value, { reportInput: true });
  if (checked.success) return [];
  return checked.error.issues.map((issue) => ({ path: issue.path.map(String), message: wordsOf(issue) }));
}

/** The fields that the server refused; none where it was something else. */
export function refusedFields(error: unknown): readonly Problem[] {
  return error instanceof ApiFailure ? error.problems : [];
}

/** What is wrong with one field, in words; undefined where nothing is. */
export function problemAt(problems: readonly Problem[], path: readonly string[]): string | undefined {
  const found = problems.filter((problem) => isAt(problem.path, path));
  return found.length === 0 ? undefined : found.map(({ message }) => message).join(" ");
}

/** What is wrong with one field or anything in it, in words. */
export function problemsWithin(problems: readonly Problem[], path: readonly string[]): string | undefined {
  const found = problems.filter((problem) => isBelow(problem.path, path));
  return found.length === 0 ? undefined : [...new Set(found.map(({ message }) => message))].join(" ");
}

/** Those problems that no field shows: their paths do not end at one that is shown. */
export function problemsElsewhere(
  problems: readonly Problem[],
  shown: readonly (readonly string[])[],
): readonly Problem[] {
  return problems.filter(({ path }) => !shown.some((field) => isBelow(path, field)));
}

function isAt(path: readonly string[], field: readonly string[]): boolean {
  return path.length === field.length && isBelow(path, field);
}

/** Whether a path is a field's, or of something within it. */
export function isBelow(path: readonly string[], field: readonly string[]): boolean {
  return field.every((name, index) => path[index] === name);
}

type Issue = z.core.$ZodIssue;

/** A finding as a sentence that says what to enter. */
function wordsOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "number" || issue.expected === "int" ? wordsOfNumber(issue.input) : "Fill this in.";
    case "too_small":
      return issue.origin === "string"
        ? Number(issue.minimum) === 1
          ? "Fill this in."
          : `At least ${issue.minimum} characters.`
        : `At least ${issue.minimum}${issue.origin === "array" ? " of them" : ""}.`;
    case "too_big":
      return issue.origin === "string"
        ? `At most ${issue.maximum} characters.`
        : `At most ${issue.maximum}${issue.origin === "array" ? " of them" : ""}.`;
    case "invalid_value":
      return `One of: ${issue.values.map(String).join(", ")}.`;
    case "invalid_format":
    case "custom":
      return `${issue.message}.`;
    default:
      return `${issue.message}.`;
  }
}

const wordsOfNumber = (input: unknown): string =>
  typeof input === "number" && Number.isFinite(input) ? "A whole number." : "Enter a number.";
