import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { samplesToBytes } from "#audio/pcm";
import { joinTrace } from "#common/tracing/traceparent";
import { audioOfWords } from "#transcription/testing/scripted-client";
import { TranscriptionBench } from "./testing/transcription-bench.js";
import { transcribeLive } from "./transcribe-live.js";

async function transcribe(
  bytes: Uint8Array,
  { portion = bytes.length, sampleRate = 16_000, bench = new TranscriptionBench() } = {},
) {
  async function* read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += portion) yield bytes.subarray(at, at + portion);
  }
  const { context, principal } = bench;
  const caller = { principal, trace: joinTrace(undefined) };
  const { signal } = new AbortController();
  return await transcribeLive({ context, caller, route: "/realtime", read, sampleRate, language: undefined, signal });
}

/** Words of up to two seconds between pauses of up to eight, where a recording may be cut. */
const spoken = fc.array(
  fc.record({
    pauseSteps: fc.integer({ min: 40, max: 800 }),
    steps: fc.integer({ min: 5, max: 200 }),
    loudness: fc.integer({ min: 2000, max: 30_000 }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe("a turn that is transcribed while it comes in", () => {
  it("has every word once, in order and at its time, also when minutes of it come at once", async () => {
    await fc.assert(
      fc.asyncProperty(
        spoken,
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 3201, max: 4_000_000 }),
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 7 }),
        async (words, endSteps, portion, turns) => {
          const { samples, truth } = audioOfWords(words, endSteps);
          const bench = new TranscriptionBench({ turnsOf: (piece) => turns[piece % turns.length] as number });
          const result = await transcribe(samplesToBytes(samples), { portion, bench });
          expect(result).toEqual({ words: truth, seconds: samples.length / 16_000 });
          expect(bench.recognition.openStreams).toBe(0);
        },
      ),
      { numRuns: 15, seed: 5 },
    );
  });

  it("has its numbers as they are written, with the time of all their words", async () => {
    const said = ["call", "five", "five", "five", "one", "two", "one", "two"];
    const words = said.map((_, i) => ({ pauseSteps: 5, steps: 20, loudness: 2001 + i }));
    const { samples } = audioOfWords(words, 40);
    const textOf = (loudness: number): string => said[loudness - 2001] ?? "";
    const { words: written } = await transcribe(samplesToBytes(samples), { bench: new TranscriptionBench({ textOf }) });
    expect(written.map(({ text }) => text)).toEqual(["call", "555-1212"]);
    expect(written[1]).toMatchObject({ startMs: 300, endMs: 2000 });
    const asWords = new TranscriptionBench({ textOf }, { PARLEY_ASR_NUMBERS: "words" });
    expect((await transcribe(samplesToBytes(samples), { bench: asWords })).words).toHaveLength(said.length);
  });

  it("has full stops and capitals where the setting says so, in the whole and in what comes early", async () => {
    const said = ["where", "is", "it", "i", "know"];
    const words = said.map((_, i) => ({ pauseSteps: i === 3 ? 300 : 5, steps: 20, loudness: 2001 + i }));
    const { samples } = audioOfWords(words, 40);
    const textOf = (loudness: number): string => said[loudness - 2001] ?? "";
    const bench = new TranscriptionBench({ textOf }, { PARLEY_ASR_PUNCTUATION: "on" });
    const { words: written } = await transcribe(samplesToBytes(samples), { bench });
    expect(written.map(({ text }) => text)).toEqual(["Where", "is", "it?", "I", "know."]);
  });

  it("is refused beyond sixty minutes, like a file, and then costs nothing", async () => {
    const bench = new TranscriptionBench();
    const tooLong = transcribe(new Uint8Array(3601 * 2 * 8000), { sampleRate: 8000, bench });
    await expect(tooLong).rejects.toMatchObject({ code: "unusable_audio", reason: "too_long" });
    expect([bench.usage, bench.recognition.openStreams]).toEqual([[], 0]);
  });
});
