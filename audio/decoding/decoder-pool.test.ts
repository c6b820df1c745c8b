import { readdirSync, readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { flacBomb } from "../testing/audio-bombs.js";
import { ffmpegEncode } from "../testing/ffmpeg.js";
import { tone } from "../testing/signals.js";
import { decodeAudio } from "./decode.js";
import { closeDecoderThreads, DECODER_THREADS, ownBytes } from "./decoder-pool.js";

afterAll(closeDecoderThreads);

it("serves those who wait although all threads are ended at once", async () => {
  const good = ffmpegEncode(tone(440, 1, 8000), 8000, ["-f", "wav"]);
  const decodeGood = (): Promise<number> => decodeAudio(good, { maxSeconds: 10 }).then(({ pcm }) => pcm.samples.length);
  // All threads exist, and are free.
  await Promise.all(Array.from({ length: DECODER_THREADS }, decodeGood));
  const leaving = new AbortController();
  const slow = flacBomb({ frames: 3000, channels: 8, sampleRate: 48_000 });
  const busy = Array.from({ length: DECODER_THREADS }, () =>
    decodeAudio(slow, { maxSeconds: 10_000, sampleRate: 8000, signal: leaving.signal }),
  );
  const waiting = decodeGood();
  leaving.abort();
  const outcomes = await Promise.all(busy.map((call) => call.catch((error: Error) => error.name)));
  expect(outcomes).toEqual(Array.from({ length: DECODER_THREADS }, () => "AbortError"));
  expect(await waiting).toBe(8000);
});

it("keeps the threads of calls that are given up and end soon by themselves", async () => {
  const good = ffmpegEncode(tone(440, 1, 8000), 8000, ["-f", "wav"]);
  const decode = (signal?: AbortSignal) => decodeAudio(good, { maxSeconds: 10, signal });
  await Promise.all(Array.from({ length: DECODER_THREADS }, () => decode()));
  let started = 0;
  const count = (): void => void started++;
  process.on("worker", count);
  for (let round = 0; round < 5; round++) {
    const leaving = new AbortController();
    const calls = Array.from({ length: 3 * DECODER_THREADS }, () => decode(leaving.signal));
    await nextTurn();
    leaving.abort();
    await Promise.allSettled(calls);
  }
  await Promise.all(Array.from({ length: DECODER_THREADS }, () => decode()));
  process.off("worker", count);
  expect(started).toBe(0);
});

it("lets other threads go first", async () => {
  await decodeAudio(ffmpegEncode(tone(440, 1, 8000), 8000, ["-f", "wav"]), { maxSeconds: 10 });
  // proc(5): the nineteenth field of a thread is its nice value; the second one may hold blanks.
  const nice = readdirSync("/proc/self/task").map((thread) =>
    Number(readFileSync(`/proc/self/task/${thread}/stat`, "latin1").split(") ").at(-1)?.split(" ")[16]),
  );
  expect(nice.filter((value) => value === constants.priority.PRIORITY_BELOW_NORMAL).length).toBeGreaterThanOrEqual(1);
  expect(getPriority()).toBeLessThan(constants.priority.PRIORITY_BELOW_NORMAL);
});

it("copies what is part of more, and nothing else", () => {
  const whole = new Uint8Array(10);
  expect(ownBytes(whole)).toBe(whole);
  const part = ownBytes(whole.subarray(2, 4));
  expect([part.byteLength, part.buffer.byteLength]).toEqual([2, 2]);
});
