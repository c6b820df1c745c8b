import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

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
