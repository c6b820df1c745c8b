import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { ffmpegEncode } from "../testing/ffmpeg.js";
import { noise, tone } from "../testing/signals.js";
import { wavFile } from "../testing/wav-file.js";
import { decodeAudio } from "./decode.js";
import { closeDecoderThreads } from "./decoder-pool.js";
import { type OpenedAudio, openAudio } from "./open-audio.js";

afterAll(closeDecoderThreads);

const open = (
  bytes: Uint8Array,
  changes: { minSeconds?: number; maxSeconds?: number; signal?: AbortSignal } = {},
): Promise<OpenedAudio> =>
  openAudio(Uint8Array.from(bytes), {
    minSeconds: 1,
    maxSeconds: 3600,
    sampleRate: 16_000,
    signal: new AbortController().signal,
    ...changes,
  });

async function read(audio: OpenedAudio): Promise<Int16Array[]> {
  const pieces: Int16Array[] = [];
  for await (const piece of audio.pieces) pieces.push(piece);
  return pieces;
}

const together = (pieces: Int16Array[]): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)));

/** Longer than is held whole. */
const longNoise = noise(8000 * 125, 0.3);
const longWav = wavFile(
  { bits: 16, channels: 1, sampleRate: 8000 },
  longNoise.length,
  (frame) => (longNoise[frame] as number) / 32768,
);
const longFiles: [format: string, bytes: Uint8Array][] = [
  ["wav", longWav],
  ["mp3", ffmpegEncode(longNoise, 8000, ["-c:a", "libmp3lame", "-b:a", "16k", "-f", "mp3"])],
  ["aac", ffmpegEncode(longNoise, 8000, ["-c:a", "aac", "-f", "adts"])],
];

describe("openAudio", () => {
  it.each(longFiles)("gives a long %s in pieces that are the whole", async (format, bytes) => {
    const audio = await open(bytes);
    const pieces = await read(audio);
    const whole = await decodeAudio(bytes, { maxSeconds: 3600, sampleRate: 16_000 });
    expect(audio).toMatchObject({ format, channels: whole.channels });
    expect(audio.seconds).toBeCloseTo(whole.pcm.samples.length / 16_000, 3);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBe(10 * 16_000);
    expect(together(pieces).equals(together([whole.pcm.samples]))).toBe(true);
  });

  it("gives a short file at once", async () => {
    const bytes = ffmpegEncode(tone(440, 3, 44_100), 44_100, ["-c:a", "flac", "-f", "flac"]);
    const audio = await open(bytes);
    expect(audio).toMatchObject({ format: "flac", channels: 1, seconds: 3 });
    expect((await read(audio)).map((piece) => piece.length)).toEqual([48_000]);
  });

  it("holds both bounds against what really comes out, before any sound is given", async () => {
    const half = wavFile({ bits: 16, channels: 1, sampleRate: 16_000, claimedBytes: 1_000_000 }, 15_999, () => 0.1);
    await expect(open(half)).rejects.toMatchObject({ code: "unsupported_format", reason: "too_short" });
    await expect(open(longWav, { maxSeconds: 124 })).rejects.toMatchObject({
      code: "unsupported_format",
      reason: "too_long",
    });
    expect((await open(longWav, { maxSeconds: 125 })).seconds).toBe(125);
  });

  it("decodes no further than it is read, and is done when the reader leaves", async () => {
    const audio = await open(longWav);
    let seen = 0;
    for await (const _ of audio.pieces) if (++seen === 2) break;
    // All threads can be had again: more files than there are threads are read to the end.
    const recordings = await Promise.all(Array.from({ length: 6 }, () => open(longWav)));
    const lengths = await Promise.all(recordings.map(async (one) => together(await read(one)).length));
    expect(new Set(lengths)).toEqual(new Set([125 * 16_000 * 2]));
  });

  it("stops when it is told to, with ffmpeg too", async () => {
    for (const [, bytes] of longFiles) {
      const controller = new AbortController();
      const audio = await open(bytes, { signal: controller.signal });
      const reading = (async () => {
        for await (const _ of audio.pieces) controller.abort();
      })();
      await expect(reading).rejects.toMatchObject({ name: "AbortError" });
    }
    await expect.poll(() => runningChildren("ffmpeg"), { timeout: 10_000 }).toEqual([]);
    await expect(open(longWav, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  });

  it("refuses what is no audio", async () => {
    await expect(open(Buffer.from("#EXTM3U\nfile:///etc/passwd\n"))).rejects.toMatchObject({
      code: "unsupported_format",
    });
  });
});

/** Process ids of the programs of that name that this process started and that still run. */
function runningChildren(name: string): string[] {
  const read = (path: string): string => {
    try {
      return readFileSync(path, "utf8").trim();
    } catch {
      return ""; // it has just ended
    }
  };
  const children = readdirSync("/proc/self/task").flatMap((thread) =>
    read(`/proc/self/task/${thread}/children`).split(" "),
  );
  return children.filter((pid) => pid !== "" && new RegExp(`\\(${name}\\) [^Z]`).test(read(`/proc/${pid}/stat`)));
}
