import { expect, it } from "vitest";
import type { AudioEncoder } from "#audio/encoding/encoder";
import { samplesToBytes } from "#audio/pcm";
import { Encoding } from "./encoding.js";

const RATE = 22_050;
const never = new Promise<never>(() => undefined);

/** What an output got, as numbers of samples, when an encoder has answered its first `answered` writes only. */
async function given(frames: number[], answered: number): Promise<{ written: number[]; output: number[] }> {
  const written: number[] = [];
  const output: number[] = [];
  const encoder: AudioEncoder = {
    write: (samples) => {
      written.push(samples.length);
      return written.length > answered ? never : Promise.resolve(samplesToBytes(samples));
    },
    flush: () => never,
    finish: () => never,
    close: () => undefined,
  };
  const encoding = new Encoding({
    encoders: { open: () => encoder, close: () => Promise.resolve() },
    spec: { format: "mp3", outputSampleRate: 44_100, mp3KilobitsPerSecond: 128, opusBitsPerSecond: null, gainDb: 0 },
    expectedSampleRate: RATE,
    output: {
      bytes: (bytes) => {
        output.push(bytes.length / 2);
        return Promise.resolve();
      },
      ended: () => never,
      failed: (error) => {
        throw error;
      },
    },
    onHold: () => undefined,
    onBroken: () => undefined,
  });
  for (const samples of frames) {
    encoding.take({ type: "samples", chunkIndex: 0, samples: new Int16Array(samples), sampleRate: RATE });
  }
  await new Promise((resolve) => setImmediate(resolve));
  encoding.close();
  return { written, output };
}

it("gives the first 150 ms of a stream before the encoder has answered for the rest of its frame", async () => {
  const { written, output } = await given([6615], 1);
  expect(written).toEqual([3308, 3307]);
  expect(output).toEqual([3308]);
});

it("cuts no later frame, and no first one that is short", async () => {
  expect((await given([6615, 6615], 9)).output).toEqual([3308, 3307, 6615]);
  expect((await given([2000, 6615], 9)).output).toEqual([2000, 6615]);
});
