import { describe, expect, it } from "vitest";
import { ffmpegEncode } from "../testing/ffmpeg.js";
import { noise } from "../testing/signals.js";
import { decodeFlac, decodeOggFlac } from "./flac.js";

const RATE = 16_000;

async function decoded(bytes: Uint8Array, decode: typeof decodeFlac): Promise<number[]> {
  const values: number[] = [];
  await decode(bytes, { add: ([plane]) => void values.push(...(plane ?? [])) });
  return values;
}

/** A second of noise, then a second of nothing at all. */
const sound = new Int16Array(2 * RATE);
sound.set(noise(RATE, 0.3));

describe("flac", () => {
  it.each<[string, typeof decodeFlac, string[]]>([
    ["native", decodeFlac, ["-f", "flac"]],
    ["in short frames", decodeFlac, ["-frame_size", "100", "-f", "flac"]],
    ["in Ogg", decodeOggFlac, ["-f", "ogg"]],
  ])("%s: gives every sample, to the last of the silence at its end", async (_, decode, args) => {
    const bytes = ffmpegEncode(sound, RATE, ["-c:a", "flac", ...args]);
    const values = await decoded(bytes, decode);
    expect(values.length).toBe(sound.length);
    expect(values.findIndex((value, i) => Math.abs(value * 32_768 - (sound[i] as number)) > 1)).toBe(-1);
  });
});
