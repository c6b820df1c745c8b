import { expect, test } from "vitest";
import { ffmpegEncode } from "../testing/ffmpeg.js";
import { noise, tone } from "../testing/signals.js";
import { decodeBytes } from "./decode-bytes.js";
import { ReusedDecoder } from "./reused-decoder.js";

const bounds = { maxSeconds: 60, sampleRate: 16_000 };

test.each([
  { format: "mp3", args: ["-c:a", "libmp3lame", "-b:a", "48k", "-f", "mp3"] },
  { format: "flac", args: ["-c:a", "flac", "-f", "flac"] },
])("$format comes out to the bit as before when other files, damaged ones too, were decoded between", async ({
  args,
}) => {
  const file = ffmpegEncode(tone(440, 3, 16_000), 16_000, args);
  const others = [
    ffmpegEncode(noise(20 * 44_100, 0.3), 44_100, args),
    ffmpegEncode(tone(900, 1, 24_000), 24_000, args),
  ];
  const [first] = others;
  const damaged = Uint8Array.from(first as Uint8Array, (byte, i) => (i > 2000 && i % 701 === 0 ? byte ^ 0x55 : byte));
  const decode = async (bytes: Uint8Array): Promise<Int16Array> =>
    (await decodeBytes(bytes.slice(), bounds)).pcm.samples;
  const before = await decode(file);
  for (const other of [...others, damaged]) {
    await decode(other).catch(() => undefined);
    expect(await decode(file)).toEqual(before);
  }
});

/** Counts in its memory, as a decoder does that is in the middle of a file. */
function countingDecoder(): { open: () => Promise<Uint8Array>; opened: () => number } {
  let opened = 0;
  const open = async (): Promise<Uint8Array> => {
    opened++;
    const memory = new Uint8Array(4 * 1024 * 1024);
    memory[100] = 7;
    return memory;
  };
  return { open, opened: () => opened };
}

test("one decoder serves files that come one after the other, each of which finds it new", async () => {
  const { open, opened } = countingDecoder();
  const decoders = new ReusedDecoder(open, (memory) => memory.buffer as ArrayBuffer);
  for (let file = 0; file < 3; file++) {
    await decoders.use((memory) => {
      expect([memory[100], memory[50], memory[200_000], memory[900_000]]).toEqual([7, 0, 0, 0]);
      [memory[100], memory[50], memory[200_000], memory[900_000]] = [1, 2, 3, 4];
    });
  }
  expect(opened()).toBe(1);
});

test("a decoder that threw is given up", async () => {
  const { open, opened } = countingDecoder();
  const decoders = new ReusedDecoder(open, (memory) => memory.buffer as ArrayBuffer);
  await decoders.use(() => undefined);
  await expect(
    decoders.use(() => {
      throw new RangeError("a trap");
    }),
  ).rejects.toThrow("a trap");
  await decoders.use(() => undefined);
  expect(opened()).toBe(2);
});
