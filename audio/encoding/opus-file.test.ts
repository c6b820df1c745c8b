import { describe, expect, it } from "vitest";
import { ffmpeg, ffmpegDecode } from "../testing/ffmpeg.js";
import { fitTone, tone } from "../testing/signals.js";
import { createOpusFile } from "./opus-file.js";
import { createOpusPackets } from "./opus-packets.js";

const RATE = 16_000;
const options = { originalSampleRate: RATE, serialNumber: 7 };

async function packetsOf(samples: Int16Array, sampleRate: 16_000 | 24_000 = RATE): Promise<Uint8Array[]> {
  const encoder = createOpusPackets({ sampleRate, bitsPerSecond: 32_000 });
  const packets = await encoder.encode(samples);
  encoder.free();
  return packets;
}

function fileOf(parts: (Uint8Array[] | number)[]): Buffer {
  const file = createOpusFile(options);
  const pages = parts.flatMap((part) =>
    typeof part === "number" ? file.addSilence(part) : part.flatMap((packet) => file.add(packet)),
  );
  return Buffer.concat([...pages, ...file.finish()]);
}

describe("a file of packets that were encoded before", () => {
  it.each([16_000, 24_000] as const)("has every sample at %i Hz where it was", async (sampleRate) => {
    const at = Math.round(1.2345 * sampleRate);
    const samples = new Int16Array(3 * sampleRate);
    samples.set(tone(440, 1, sampleRate), at);
    const decoded = ffmpegDecode(fileOf([await packetsOf(samples, sampleRate)]), sampleRate);
    expect(decoded.length).toBe(samples.length);
    const [begin, end] = [
      decoded.findIndex((sample) => Math.abs(sample) > 3000),
      decoded.findLastIndex((sample) => Math.abs(sample) > 3000),
    ];
    expect(Math.abs(begin - at) / sampleRate).toBeLessThan(0.004);
    expect(Math.abs(end - at - sampleRate) / sampleRate).toBeLessThan(0.004);
    expect(fitTone(decoded.subarray(at + 400, at + sampleRate - 400), 440, sampleRate).signalToNoiseDb).toBeGreaterThan(
      20,
    );
  });

  it("joins what several encoders made, with silence between, in one stream without a fault", async () => {
    const second = await packetsOf(tone(440, 1, RATE));
    const file = fileOf([second, 100, second, 75, second.slice(0, 10)]);
    // ffmpeg complains of pages that are missing or out of order, and of positions that do not fit.
    const decoded = ffmpegDecode(file, RATE);
    expect(decoded.length).toBe((50 + 100 + 50 + 75 + 10) * 320);
    const loudnessOf = (from: number, to: number): number =>
      Math.max(...decoded.subarray(from * RATE, to * RATE).map(Math.abs));
    expect([loudnessOf(0.1, 0.9), loudnessOf(3.1, 3.9), loudnessOf(5.51, 5.69)].every((peak) => peak > 12_000)).toBe(
      true,
    );
    expect([loudnessOf(1.05, 2.95), loudnessOf(4.05, 5.45)]).toEqual([0, 0]);
    const packets = ffmpeg(["-i", "pipe:0", "-c", "copy", "-f", "framehash", "pipe:1"], file).toString();
    expect(packets.split("\n").filter((line) => /^0,/.test(line)).length).toBe(286);
  });

  it("spends three bytes on silence", async () => {
    const samples = new Int16Array(10 * RATE);
    samples.set(tone(440, 1, RATE), RATE);
    const packets = await packetsOf(samples);
    expect(packets.filter((packet) => packet.length > 3).length).toBeLessThanOrEqual(51);
    expect(ffmpegDecode(fileOf([packets]), RATE).length).toBe(samples.length);
  });

  it("is a file when there is next to nothing in it", () => {
    expect(ffmpegDecode(fileOf([1]), 48_000).length).toBe(960);
  });
});
