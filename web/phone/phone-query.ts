import type { QueryClient } from "@tanstack/react-query";
import { ApiFailure } from "../api/request.js";

/** What everything of this section is stored under. */
export const phoneKey = ["phone"];

/** Reads the numbers again: one of them has changed. */
export function renewNumbers(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: phoneKey });
}

/** What the server said of one field of a form; a number's place in a list is left out. */
export function problemOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiFailure)) return undefined;
  return error.problems.find(({ path }) => path.includes(field))?.message;
}
