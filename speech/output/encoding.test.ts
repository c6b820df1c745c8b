import { expect, it } from "vitest";
import type { AudioEncoder } from "#audio/encoding/encoder";
import { samplesToBytes } from "#audio/pcm";
import { VirtualClock } from "#common/clock";
import { Encoding } from "./encoding.js";

const RATE = 22_050;
const never = new Promise<never>(() => undefined);

/** What an output got, as numbers of samples, when an encoder has answered its first `answered` writes only. */
async function given(
  frames: number[],
  answered: number,
): Promise<{ written: number[]; dueMs: number[]; output: number[] }> {
  const written: number[] = [];
  const dueMs: number[] = [];
  const output: number[] = [];
  const encoder: AudioEncoder = {
    write: (samples, due = Number.NaN) => {
      written.push(samples.length);
      dueMs.push(due);
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
    clock: new VirtualClock(),
    onHold: () => undefined,
    onBroken: () => undefined,
  });
  for (const samples of frames) {
    encoding.take({ type: "samples", chunkIndex: 0, samples: new Int16Array(samples), sampleRate: RATE });
  }
  await new Promise((resolve) => setImmediate(resolve));
  encoding.close();
  return { written, dueMs, output };
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

it("says when the player will have played what it was given: what comes before its first audio is urgent", async () => {
  const { dueMs } = await given([6615, 22_050, 2205], 9);
  expect(dueMs).toEqual(
    [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 300, 1300].map((due) => expect.closeTo(due)),
  );
});
