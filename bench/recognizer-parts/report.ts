import { table } from "../results.js";
import type { RecognizerPartsFigures } from "./run.js";

/** The figures for people. */
export function printRecognizerParts({ audioSeconds, parts }: RecognizerPartsFigures): string {
  const lines = parts.map(({ part, timesProcessorTime, timesWallTime }) => [part, timesProcessorTime, timesWallTime]);
  return `${audioSeconds.toFixed(1)} s of audio, one thread\n${table(["part", "x real time (processor)", "x real time (wall)"], lines)}`;
}
