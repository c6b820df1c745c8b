import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { neutralDelivery, type VoiceTraits } from "#protocol/speech/chunk";
import { measureVoice } from "#audio/voice/traits";
import { createLogger } from "#common/log";
import { systemClock } from "#common/clock";
import { speechEngineConformance } from "../testing/suite.js";
import { speakBatch, speakOne, testChunk } from "../testing/speak.js";
import { EspeakEngine } from "./engine.js";

const load = (slots: number): Promise<EspeakEngine> =>
  EspeakEngine.load({ name: "espeak", slots, log: createLogger("test", "fatal"), clock: systemClock });

speechEngineConformance("espeak", { load: () => load(2), speaker: "f2", whispers: true });

describe("the espeak engine", () => {
  let engine: EspeakEngine;
  beforeAll(async () => {
    engine = await load(1);
    await engine.warmUp();
  });
  afterAll(async () => await engine.close());

  it("gives sound in pieces, the first long before the last", async () => {
    const spoken = await speakOne(
      engine,
      testChunk("A sentence that is long enough to come in many pieces of a tenth of a second each."),
    );
    expect(spoken.pieces).toBeGreaterThan(10);
  });

  it("moves its pitch more with a higher temperature, and reads each chunk at a pace of its own above the default", async () => {
    const text = "The quick brown fox jumps over the lazy dog, and nobody knows where it is going today.";
    const read = async (temperature: number, seed = 1): Promise<VoiceTraits & { samples: number }> => {
      const { samples } = await speakOne(engine, testChunk(text, { sampling: { temperature }, seed }));
      return { ...measureVoice({ samples, sampleRate: engine.describe().sampleRate }), samples: samples.length };
    };
    const [steady, own, lively] = [await read(0.1), await read(0.7), await read(0.9)];
    expect(own.pitchRangeSemitones / steady.pitchRangeSemitones).toBeGreaterThan(1.5);
    expect(lively.pitchRangeSemitones / own.pitchRangeSemitones).toBeGreaterThan(1.15);
    expect([await read(0.1, 2), await read(0.7, 2)]).toEqual([steady, own]);
    const lengths = [];
    for (let seed = 0; seed < 6; seed++) lengths.push((await read(0.9, seed)).samples / own.samples);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeGreaterThan(0.04);
  });

  it("takes on the measured traits of another voice: pitch, its movement, brightness", async () => {
    const text =
      "The quick brown fox jumps over the lazy dog, and nobody knows where it is going today. Seven silver swans swam silently seaward.";
    const measured = async (traits: VoiceTraits): Promise<VoiceTraits> => {
      const { samples } = await speakOne(engine, testChunk(text, { voice: { traits } }));
      return measureVoice({ samples, sampleRate: engine.describe().sampleRate });
    };
    const traits = { pitchHz: 110, pitchRangeSemitones: 1.4, syllablesPerSecond: 4.4, spectralTiltDbPerOctave: -6.4 };
    for (const pitchHz of [80, 110, 150, 200, 280]) {
      expect(
        Math.abs(12 * Math.log2((await measured({ ...traits, pitchHz })).pitchHz / pitchHz)),
        `${pitchHz} Hz`,
      ).toBeLessThan(1.5);
    }
    const [flat, lively] = [
      await measured({ ...traits, pitchRangeSemitones: 0.4 }),
      await measured({ ...traits, pitchRangeSemitones: 3 }),
    ];
    expect(lively.pitchRangeSemitones).toBeGreaterThan(flat.pitchRangeSemitones * 2);
    expect(Math.abs(12 * Math.log2(lively.pitchHz / flat.pitchHz))).toBeLessThan(1.5);
    const [dark, bright] = [
      await measured({ ...traits, spectralTiltDbPerOctave: -9 }),
      await measured({ ...traits, spectralTiltDbPerOctave: -4 }),
    ];
    expect(bright.spectralTiltDbPerOctave - dark.spectralTiltDbPerOctave).toBeGreaterThan(3);
  });

  it("speaks many languages, and says which when it cannot", async () => {
    for (const [language, text] of [
      ["de", "Guten Tag"],
      ["fr-CA", "Bonjour"],
      ["zh", "你好"],
      ["hi", "नमस्ते"],
      ["pt-BR", "Bom dia"],
      ["EN_us", "Hello"],
    ] as const) {
      const { samples } = await speakOne(engine, testChunk(text, { voice: { language } }));
      expect(samples.length, language).toBeGreaterThan(3000);
    }
    const { result } = await speakOne(engine, testChunk("x", { voice: { language: "tlh-none" } }));
    expect(result).toMatchObject({ result: "failed", retryable: false, error: { code: "unsupported_language" } });
    expect(engine.describe().languages).toEqual(
      expect.arrayContaining(["en", "de", "fr", "zh", "ja", "ru", "ar", "hi"]),
    );
  });

  it("fails a chunk retryably when its process is killed, and speaks again with a new process", async () => {
    const expected = await speakOne(engine, testChunk("Once more."));
    const victim = engine.pids[0] ?? 0;
    let pieces = 0;
    const [result] = await engine.speak([
      {
        chunk: testChunk("This text is long enough to be still going on when the process is killed. ".repeat(20)),
        signal: new AbortController().signal,
        emit: () => {
          if (pieces++ === 0) process.kill(victim, "SIGKILL");
        },
      },
    ]);
    expect(result).toMatchObject({ result: "failed", retryable: true });
    expect((await speakOne(engine, testChunk("Once more."))).samples).toEqual(expected.samples);
    expect(engine.pids[0]).not.toBe(victim);
  });

  it("keeps the bytes of a voice whose snapshot had to be made again", async () => {
    const expected = await speakOne(engine, testChunk("The same as before."));
    for (const speaker of engine.describe().speakers) {
      for (const language of ["de", "en"]) await speakOne(engine, testChunk("Hallo", { voice: { speaker, language } }));
    }
    expect((await speakOne(engine, testChunk("The same as before."))).samples).toEqual(expected.samples);
  });

  it("gives equal bytes in another process with every speaker and in a whisper: noise must not be seeded from the time of day", async () => {
    const second = await load(1);
    try {
      for (const speaker of engine.describe().speakers) {
        for (const whisper of [false, true]) {
          const chunk = testChunk("Thus she sees this.", {
            voice: { speaker },
            delivery: { ...neutralDelivery, whisper },
          });
          const [one, other] = [await speakOne(engine, chunk), await speakOne(second, chunk)];
          expect(
            Buffer.compare(Buffer.from(one.samples.buffer), Buffer.from(other.samples.buffer)),
            `${speaker} ${whisper}`,
          ).toBe(0);
        }
      }
    } finally {
      await second.close();
    }
  });

  it("does not grow from text to text", async () => {
    const residentBytes = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${engine.pids[0]}/status`, "utf8"))?.[1] ?? 0) * 1024;
    const speakMany = async (): Promise<unknown> =>
      await speakBatch(
        engine,
        Array.from({ length: 40 }, (_, i) => testChunk(`This is text number ${i}.`)),
      );
    await speakMany();
    const before = residentBytes();
    await speakMany();
    await speakMany();
    expect(residentBytes() - before).toBeLessThan(40 * 1024 * 1024);
  });

  it("leaves no process behind when it closes", async () => {
    const short = await load(2);
    const pids = short.pids;
    await short.close();
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});
