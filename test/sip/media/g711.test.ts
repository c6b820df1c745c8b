import { describe, expect, it } from "vitest";
import { bytesToSamples } from "#audio/pcm";
import { runProgram } from "../../harness/audio.js";
import { decodeG711, encodeG711, type G711 } from "./g711.js";

const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe.each<[G711, string, number]>([
  ["PCMU", "mulaw", 1 / 16],
  ["PCMA", "alaw", 1 / 16],
])("%s", (codec, format, coarsest) => {
  it("is decoded as ffmpeg decodes it", async () => {
    const input = ["-loglevel", "error", "-nostdin", "-f", format, "-ar", "8000", "-ac", "1", "-i", "pipe:0"];
    const decoded = await runProgram("ffmpeg", [...input, "-f", "s16le", "pipe:1"], allBytes);
    expect([...decodeG711(codec, allBytes)]).toEqual([...bytesToSamples(decoded)]);
  });

  it("gives every sample back, as near as its steps are", () => {
    const samples = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768);
    const returned = decodeG711(codec, encodeG711(codec, samples));
    const far = samples.findIndex((sample, at) => {
      const error = Math.abs((returned[at] ?? 0) - sample);
      // The loudest samples are cut off.
      return Math.abs(sample) < 32_000 && error > Math.max(16, Math.abs(sample) * coarsest);
    });
    expect(far).toBe(-1);
  });
});
