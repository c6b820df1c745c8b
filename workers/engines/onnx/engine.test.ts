import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import type { Sampling } from "#protocol/speech/chunk";
import { readModelFolder } from "../../repository/folder.js";
import { medianPitchHz } from "../testing/pitch.js";
import { speakOne, testChunk } from "../testing/speak.js";
import { speechEngineConformance } from "../testing/suite.js";
import type { SpeechEngine } from "../engine.js";
import { Phonemizer } from "../espeak/phonemizer.js";
import { ModelThreads } from "../model-threads.js";
import { OnnxEngine } from "./engine.js";
import { SessionPool } from "./session-pool.js";
import { type ToneVoiceOptions, writeToneVoice } from "./testing/tone-voice.js";

const directory = mkdtempSync(join(tmpdir(), "parley-voices-"));
const log = createLogger("test", "fatal");
let voices = 0;

async function load(options: Partial<ToneVoiceOptions> = {}, providers: string[] = ["cpu"]): Promise<SpeechEngine> {
  const folder = join(directory, `voice-${voices++}`);
  writeToneVoice(folder, "tone", options);
  const threads = new ModelThreads(2);
  const pool = new SessionPool(threads);
  const phonemizer = new Phonemizer({ log, clock: systemClock });
  const close = async (): Promise<void> => {
    await threads.close();
    await phonemizer.close();
  };
  try {
    const engine = await OnnxEngine.load({ model: await readModelFolder(folder), pool, phonemizer, providers, log });
    return {
      describe: () => engine.describe(),
      warmUp: () => engine.warmUp(),
      speak: (jobs) => engine.speak(jobs),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

afterAll(() => rmSync(directory, { recursive: true }));

speechEngineConformance("onnx with a text voice", { load: () => load(), speaker: "tone2", whispers: false });
speechEngineConformance("onnx without frame counts", {
  load: () => load({ frameCounts: false }),
  speaker: "1",
  whispers: false,
});
speechEngineConformance("onnx with an espeak voice", {
  load: () => load({ phonemeType: "espeak" }),
  speaker: "tone1",
  whispers: false,
});

describe("the onnx engine", () => {
  it("serves a single-speaker voice, which has no sid input", async () => {
    const engine = await load({ speakers: 1 });
    try {
      expect((await speakOne(engine, testChunk("Hello."))).samples.length).toBeGreaterThan(5000);
      expect(engine.describe()).toMatchObject({
        languages: ["en"],
        sampleRate: 22_050,
        speakers: ["default"],
        maxBatch: 1,
        provider: "cpu",
      });
    } finally {
      await engine.close();
    }
  });

  it("falls back to the processor when the preferred provider is not there, and says so", async () => {
    const engine = await load({}, ["no-such-provider", "cuda", "cpu"]);
    try {
      expect(["cpu", "cuda"]).toContain(engine.describe().provider);
      expect((await speakOne(engine, testChunk("Hello."))).samples.length).toBeGreaterThan(5000);
    } finally {
      await engine.close();
    }
  });

  it("varies only the pace of a voice that cannot be steered, and nothing of it with the defaults or less", async () => {
    const engine = await load();
    const read = async (sampling: Partial<Sampling>, seed: number): Promise<Int16Array> =>
      (await speakOne(engine, testChunk("Nobody knows where it is going.", { sampling, seed }))).samples;
    try {
      const own = await read({}, 1);
      for (const temperature of [0, 0.1, 0.7])
        expect(await read({ temperature }, 2), `temperature ${temperature}`).toEqual(own);
      const ratios = [];
      for (let seed = 0; seed < 8; seed++) {
        const take = await read({ temperature: 1 }, seed);
        ratios.push(take.length / own.length);
        // One step of the measurement at this pitch is 0.8 Hz.
        expect(Math.abs((medianPitchHz(take, 22_050) ?? 0) - (medianPitchHz(own, 22_050) ?? 0))).toBeLessThan(1);
      }
      expect(Math.max(...ratios) - Math.min(...ratios)).toBeGreaterThan(0.08);
      for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThan(0.15);
    } finally {
      await engine.close();
    }
  });

  it("speaks a text longer than the largest bucket piece by piece", async () => {
    const engine = await load();
    try {
      const spoken = await speakOne(engine, testChunk("many words one after the other ".repeat(60)));
      expect(spoken.pieces).toBeGreaterThan(2);
      expect(spoken.words.length).toBe(360);
    } finally {
      await engine.close();
    }
  });
});
