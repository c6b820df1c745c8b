import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Spread, spread } from "./statistics.js";

/**
 * Parts of the way to the first audio, as the edge measures them (speech/metrics.ts); `totalMs` from text
 * to bytes.
 */
const firstAudioLine = z.object({
  msg: z.literal("first audio"),
  totalMs: z.number(),
  parseMs: z.number(),
  queueMs: z.number(),
  engineMs: z.number(),
  returnMs: z.number(),
  encodeMs: z.number(),
});
export type FirstAudioLine = z.infer<typeof firstAudioLine>;

/**
 * Every stream's parts, of a cluster that was started with `LOG_LEVEL=debug`. They are logged after the first bytes
 * have left.
 */
export function readFirstAudio(dataDirectory: string): FirstAudioLine[] {
  return readFileSync(join(dataDirectory, "logs", "edge.log"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"first audio"'))
    .map((line) => firstAudioLine.parse(JSON.parse(line)));
}

const partNames = ["parseMs", "queueMs", "engineMs", "returnMs", "encodeMs", "totalMs"] as const;

/** Where the time to the first audio went, each part by itself. */
export type FirstAudioParts = Record<(typeof partNames)[number], Spread>;

export function partsOf(lines: readonly FirstAudioLine[]): FirstAudioParts {
  return Object.fromEntries(
    partNames.map((part) => [part, spread(lines.map((line) => line[part]))]),
  ) as unknown as FirstAudioParts;
}

/** Titles of the parts in tables. */
export const partTitles: Readonly<Record<(typeof partNames)[number], string>> = {
  parseMs: "  parse",
  queueMs: "  queue",
  engineMs: "  engine, in the worker",
  returnMs: "  both ways over the bus",
  encodeMs: "  encode",
  totalMs: "  text to bytes, in the edge",
};
