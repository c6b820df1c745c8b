import { expect, it } from "vitest";
import { flacBomb } from "../testing/audio-bombs.js";
import { ffmpegEncode } from "../testing/ffmpeg.js";
import { noise } from "../testing/signals.js";
import { readFlacFrames } from "./flac-frames.js";

const file = ffmpegEncode(noise(100_000, 0.3), 16_000, ["-c:a", "flac", "-f", "flac"]);
const lengths = (bytes: Uint8Array): number[] => Array.from(readFlacFrames(bytes), (frame) => frame.length);

it("cuts a file into all of its frames", () => {
  const frames = [...readFlacFrames(file)];
  const together = Buffer.concat(frames);
  expect(frames.length).toBe(Math.ceil(100_000 / 1152));
  expect(together.equals(Buffer.from(file.subarray(file.length - together.length)))).toBe(true);
  expect(frames.every((frame) => frame[0] === 0xff)).toBe(true);
});

it("finds frames of 26 bytes", () => {
  expect(lengths(flacBomb({ frames: 100, channels: 8, sampleRate: 8000 }))).toEqual(
    Array.from({ length: 100 }, () => 26),
  );
});

it("leaves out a damaged frame, and no other", () => {
  const frames = [...readFlacFrames(file)];
  const bad = Buffer.from(file);
  const third = frames
    .slice(0, 2)
    .reduce((sum, { length }) => sum + length, file.length - frames.reduce((sum, { length }) => sum + length, 0));
  bad.writeUInt8((bad[third + 500] ?? 0) ^ 0x40, third + 500);
  expect(lengths(bad)).toEqual(frames.filter((_, index) => index !== 2).map(({ length }) => length));
});

it("takes time in proportion to what it reads, whatever that is", () => {
  // Headers without end, each of them right and none of them with a frame behind it.
  const [frame] = [...readFlacFrames(flacBomb({ frames: 1, channels: 1, sampleRate: 8000 }))];
  const header = Buffer.from(frame ?? []).subarray(0, 8);
  const hostile = Buffer.concat([
    Buffer.from("fLaC\x80\0\0\0", "latin1"),
    ...Array.from({ length: 2 ** 20 }, () => header),
  ]);
  const startedMs = performance.now();
  // A few checksums are right by chance.
  expect(lengths(hostile).length).toBeLessThan(100);
  // A scanner that began anew at each header would take hours.
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});
