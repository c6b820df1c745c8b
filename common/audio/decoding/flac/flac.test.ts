import { describe, expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { ffmpegEncode } from "../../testing/ffmpeg.js";
import { noise } from "../../testing/signals.js";
import { decodeFlac } from "./flac.js";
import { decodeOggFlac } from "./ogg-flac.js";

const RATE = 16_000;

function decoded(bytes: Uint8Array, decode: typeof decodeFlac): number[] {
  const values: number[] = [];
  decode(bytes, { add: ([plane]) => void values.push(...(plane ?? [])) });
  return values.map((value) => value * 32_768);
}

/** A second of noise, then a second of nothing at all. */
const sound = new Int16Array(2 * RATE);
sound.set(noise(RATE, 0.3));

describe("flac", () => {
  it.each<[string, typeof decodeFlac, string[]]>([
    ["native, fixed predictors", decodeFlac, ["-compression_level", "0", "-f", "flac"]],
    ["native, linear predictors", decodeFlac, ["-compression_level", "8", "-f", "flac"]],
    ["native, the difference of two channels", decodeFlac, ["-af", "pan=stereo|c0=c0|c1=0.5*c0", "-ch_mode", "mid_side", "-f", "flac"]],
    ["native, 24 bits", decodeFlac, ["-sample_fmt", "s32", "-f", "flac"]],
    ["in Ogg", decodeOggFlac, ["-f", "ogg"]],
  ])("%s: gives every sample, to the last of the silence at its end", (_, decode, args) => {
    const bytes = ffmpegEncode(sound, RATE, ["-c:a", "flac", ...args]);
    const values = decoded(bytes, decode);
    expect(values.length).toBe(sound.length);
    expect(values.findIndex((value, i) => value !== sound[i])).toBe(-1);
  });

  it("leaves out the frame in which a bit is wrong, and what is no frame", () => {
    const bytes = ffmpegEncode(sound, RATE, ["-c:a", "flac", "-frame_size", "1000", "-f", "flac"]);
    const damaged = Buffer.concat([bytes, Buffer.alloc(1000, 0xff)]);
    const at = Math.floor(bytes.length / 4);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    const values = decoded(damaged, decodeFlac);
    expect(values.length).toBe(sound.length - 1000);
    expect(values.slice(-RATE - 8000).findIndex((value, i) => value !== sound[RATE - 8000 + i])).toBe(-1);
  });

  it("is refused when it is nothing but faults", () => {
    const noFrames = Uint8Array.from({ length: 10_000 }, (_, i) => (i % 2 === 0 ? 0xff : 0xf8));
    const bytes = Buffer.concat([Buffer.from("fLaC"), Buffer.from([0x81, 0, 0, 0]), noFrames]);
    expect(() => decodeFlac(bytes, { add: () => undefined })).toThrow(ServiceError);
  });
});
