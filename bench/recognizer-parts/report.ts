import { table } from "../results.js";
import type { EarPartsFigures } from "./run.js";

/** The figures for people. */
export function printEarParts({ soundSeconds, parts }: EarPartsFigures): string {
  const lines = parts.map(({ part, timesProcessorTime, timesWallTime }) => [part, timesProcessorTime, timesWallTime]);
  return `${soundSeconds.toFixed(1)} s of sound, one thread\n${table(["part", "x real time (processor)", "x real time (wall)"], lines)}`;
}
