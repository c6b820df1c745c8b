import { z } from "zod";

/** A figure of a scenario, and what it is held to. */
export const aim = z.object({
  measure: z.string(),
  /** Null where nothing was measured for it. */
  value: z.number().nullable(),
  bound: z.enum(["at most", "at least"]),
  limit: z.number(),
});

export type Aim = z.infer<typeof aim>;

/** `value` should not be more than `limit`. */
export const atMost = (measure: string, value: number | undefined, limit: number): Aim => ({
  ...{ measure, value: finite(value), bound: "at most", limit },
});

/** `value` should not be less than `limit`. */
export const atLeast = (measure: string, value: number | undefined, limit: number): Aim => ({
  ...{ measure, value: finite(value), bound: "at least", limit },
});

/** A figure that nothing was measured for meets nothing. */
export function isMet({ value, bound, limit }: Aim): boolean {
  if (value === null) return false;
  return bound === "at most" ? value <= limit : value >= limit;
}

/** What was measured and what is wanted, in a line. */
export function describeAim({ measure, value, bound, limit }: Aim): string {
  return `${measure}: ${value === null ? "not measured" : figureText(value)} (${bound} ${limit})`;
}

/** Three places that say something. */
export function figureText(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** JSON has no NaN. */
function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
