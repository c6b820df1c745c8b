import { table } from "../results.js";
import type { CompatOverheadFigures } from "./run.js";

/** The figures as a page of text. */
export function printCompatOverhead({ ways, overheadMs }: CompatOverheadFigures): string {
  return [
    table(
      ["first byte, milliseconds", "p50", "p95", "p99", "max"],
      ways.map(({ name, firstByteMs: { p50, p95, p99, max } }) => [name, p50, p95, p99, max]),
    ),
    "",
    table(
      ["of the rounds' medians, minus /v1/tts", "median", "min", "max"],
      overheadMs.map(({ name, rounds }) => [name, rounds.median, rounds.min, rounds.max]),
    ),
  ].join("\n");
}
