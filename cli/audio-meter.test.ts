import { expect, it } from "vitest";
import { audioMeter } from "./audio-meter.js";

/** Feeds bytes in pieces of `size`; gives the seconds after the last. */
function measure(format: Parameters<typeof audioMeter>[0], bytes: Uint8Array, size: number): number {
  const meter = audioMeter(format);
  let seconds = 0;
  for (let at = 0; at < bytes.length; at += size) seconds = meter.feed(bytes.subarray(at, at + size));
  return seconds;
}

function wav(sampleRate: number, samples: number): Uint8Array {
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(sampleRate * 2, 28);
  return bytes;
}

function oggPage(granule: bigint, payload: number): Buffer {
  const segments = Array.from({ length: Math.floor(payload / 255) + 1 }, (_, index) =>
    Math.min(255, payload - index * 255),
  );
  const page = Buffer.alloc(27 + segments.length + payload);
  page.write("OggS", 0, "latin1");
  page.writeBigInt64LE(granule, 6);
  page.writeUInt8(segments.length, 26);
  page.set(segments, 27);
  return page;
}

it.each([1, 7, 1000, 1_000_000])("counts the same seconds in pieces of %i bytes", (size) => {
  expect(measure("mp3", new Uint8Array(16_000), size)).toBeCloseTo(1, 9);
  expect(measure("pcm", new Uint8Array(48_000), size)).toBeCloseTo(1, 9);
  expect(measure("wav", wav(44_100, 22_050), size)).toBeCloseTo(0.5, 9);
  expect(
    measure(
      "opus",
      Buffer.concat([oggPage(0n, 19), oggPage(0n, 600), oggPage(48_000n, 510), oggPage(72_000n, 100)]),
      size,
    ),
  ).toBe(1.5);
});
