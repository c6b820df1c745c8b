import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import type { WordTiming } from "#protocol/speech/chunk";
import { type AlignedFrame, AlignedFrames } from "./aligned-frames.js";

const RATE = 8000;
/** Bytes of audio a sample takes here: the encoder is none. */
const BYTES = 2;
const MIN_FRAME_BYTES = 2048;

interface ChunkText {
  text: string;
  /** Samples of each word; words are those of the text. */
  wordSamples: number[];
  pauseSamples: number;
}

/** Timings as engines give them: in whole milliseconds; a word ends where the next begins. */
function timingsOf({ text, wordSamples }: ChunkText): WordTiming[] {
  let at = 0;
  return [...text.matchAll(/[a-z]+/g)].map((match, index) => {
    const startMs = Math.round((at * 1000) / RATE);
    at += wordSamples[index] ?? 0;
    return {
      text: match[0],
      startMs,
      endMs: Math.round((at * 1000) / RATE),
      sourceStart: match.index,
      sourceEnd: match.index + match[0].length,
    };
  });
}

/**
 * Speaks pieces through `AlignedFrames`, in batches of so many samples; a word is told with the first batch after its
 * end, the last at the piece's end.
 */
function speak(
  text: string,
  pieces: readonly ChunkText[],
  batch: number,
  isAligned = true,
): { frames: AlignedFrame[]; audio: Buffer } {
  const aligned = new AlignedFrames({ minFrameBytes: MIN_FRAME_BYTES, isAligned });
  const frames: AlignedFrame[] = [];
  let samples = 0;
  const audio: Buffer[] = [];
  const encode = (count: number): void => {
    const bytes = Buffer.alloc(count * BYTES, samples % 251);
    samples += count;
    audio.push(bytes);
    aligned.encodedTo(samples / RATE);
    frames.push(...aligned.audio(bytes));
  };
  aligned.append(text);
  pieces.forEach((piece, chunkIndex) => {
    if (piece.pauseSamples > 0) encode(piece.pauseSamples);
    frames.push(
      ...aligned.chunk(
        { type: "chunk-started", chunkIndex, text: piece.text, sampleRate: RATE, offsetSamples: samples },
        RATE,
      ),
    );
    const words = timingsOf(piece);
    const total = piece.wordSamples.reduce((sum, count) => sum + count, 0);
    for (let at = 0; at < total; at += batch) {
      encode(Math.min(batch, total - at));
      const ended = words.slice(0, -1).filter(({ endMs }) => endMs <= ((at + batch) * 1000) / RATE);
      words.splice(0, ended.length);
      if (ended.length > 0) frames.push(...aligned.chunk({ type: "words", chunkIndex, words: ended }, RATE));
    }
    frames.push(...aligned.chunk({ type: "words", chunkIndex, words }, RATE));
    frames.push(...aligned.chunk({ type: "chunk-ended", chunkIndex, samples: total }, RATE));
  });
  return { frames: [...frames, ...aligned.end()], audio: Buffer.concat(audio) };
}

const audioOf = (frames: readonly AlignedFrame[]): Buffer =>
  Buffer.concat(frames.map(({ audio }) => audio ?? new Uint8Array()));
const textOf = (frames: readonly AlignedFrame[]): string =>
  frames.flatMap(({ alignment }) => alignment?.characters ?? []).join("");

describe("frames with audio and the times of its characters", () => {
  const word = fc.stringMatching(/^[a-z]{1,9}$/);
  const piece = fc
    .record({
      words: fc.array(word, { minLength: 1, maxLength: 9 }),
      end: fc.constantFrom(".", ",", "?!", ""),
      pauseSamples: fc.constantFrom(0, 0, 3000),
    })
    .chain(({ words, end, pauseSamples }) =>
      fc
        .array(fc.integer({ min: 100, max: 4000 }), { minLength: words.length, maxLength: words.length })
        .map((wordSamples) => ({ text: words.join(" ") + end, wordSamples, pauseSamples })),
    );

  it("carry every character once, in order, in the frame in whose audio it begins", () => {
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 100, max: 20_000 }),
        fc.constantFrom("", " ", " (calm) "),
        (pieces, batch, between) => {
          const text = pieces.map((one) => one.text + between).join("");
          const { frames, audio } = speak(text, pieces, batch);
          expect(audioOf(frames).equals(audio)).toBe(true);
          expect(textOf(frames)).toBe(text);
          const times = frames.flatMap(({ alignment }) =>
            (alignment?.startSeconds ?? []).flatMap((start, at) => [start, alignment?.endSeconds[at] ?? Number.NaN]),
          );
          expect(times).toEqual([...times].sort((a, b) => a - b));
          const [withAudio, without] = [
            frames.filter((frame) => frame.audio !== null),
            frames.filter((frame) => frame.audio === null),
          ];
          expect(without).toEqual(without.length === 0 ? [] : [frames.at(-1)]);
          let fromSeconds = 0;
          for (const frame of withAudio) {
            const toSeconds = fromSeconds + (frame.audio?.byteLength ?? 0) / BYTES / RATE;
            expect(frame.alignment?.characters.length ?? 1).toBeGreaterThan(0);
            const outside = (frame.alignment?.startSeconds ?? []).filter(
              (start) => start < fromSeconds - 1e-3 || start > toSeconds + 1e-3,
            );
            expect(outside).toEqual([]);
            fromSeconds = toSeconds;
          }
        },
      ),
      { numRuns: howMany(200), seed: 11 },
    );
  });

  it("wait no longer than until their words are known", () => {
    const aligned = new AlignedFrames({ minFrameBytes: MIN_FRAME_BYTES, isAligned: true });
    aligned.append("One two three.");
    const second = {
      word: (text: string, at: number, sourceStart: number) => ({
        text,
        startMs: at * 1000,
        endMs: (at + 1) * 1000,
        sourceStart,
        sourceEnd: sourceStart + text.length,
      }),
    };
    aligned.chunk(
      { type: "chunk-started", chunkIndex: 0, text: "One two three.", sampleRate: RATE, offsetSamples: 0 },
      RATE,
    );
    const audio = (seconds: number): AlignedFrame[] => {
      aligned.encodedTo(seconds);
      return aligned.audio(new Uint8Array(RATE * BYTES));
    };
    expect(audio(0.9)).toEqual([]);
    const [first, ...others] = aligned.chunk({ type: "words", chunkIndex: 0, words: [second.word("One", 0, 0)] }, RATE);
    expect([first?.alignment?.characters.join(""), others]).toEqual(["One", []]);
    expect(audio(1.9)).toEqual([]);
    expect(textOf(aligned.chunk({ type: "words", chunkIndex: 0, words: [second.word("two", 1, 4)] }, RATE))).toBe(
      " two",
    );
    // A full stop that takes no time belongs to the audio before it.
    expect(audio(3)).toEqual([]);
    expect(textOf(aligned.chunk({ type: "chunk-ended", chunkIndex: 0, samples: 3 * RATE }, RATE))).toBe(" three.");
    expect(aligned.end()).toEqual([]);
  });

  it("end with one that has no audio where text follows that is not spoken", () => {
    const { frames } = speak("One. (sigh)", [{ text: "One.", wordSamples: [8000], pauseSamples: 0 }], 8000);
    expect(frames.map(({ audio, alignment }) => [audio?.byteLength, alignment?.characters.join("")])).toEqual([
      [16_000, "One."],
      [undefined, " (sigh)"],
    ]);
  });

  it("go at once and alone where no times are wanted", () => {
    const { frames, audio } = speak(
      "One. Two.",
      [
        { text: "One.", wordSamples: [8000], pauseSamples: 0 },
        { text: "Two.", wordSamples: [3000], pauseSamples: 0 },
      ],
      1000,
      false,
    );
    expect(audioOf(frames).equals(audio)).toBe(true);
    expect(frames.every((frame) => frame.audio !== null && frame.alignment === null)).toBe(true);
    const aligned = new AlignedFrames({ minFrameBytes: MIN_FRAME_BYTES, isAligned: false });
    expect(aligned.audio(new Uint8Array(MIN_FRAME_BYTES))).toHaveLength(1);
  });
});
