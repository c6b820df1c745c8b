import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { measureVoice } from "#audio/voice/traits";
import { createLogger } from "#common/log";
import type { Delivery, VoiceTraits } from "#protocol/speech/chunk";
import { readModelFolder } from "../../repository/folder.js";
import { lastPitchHz, medianPitchHz } from "../testing/pitch.js";
import { speakBatch, speakOne, testChunk } from "../testing/speak.js";
import { speechEngineConformance } from "../testing/suite.js";
import type { SpeechEngine } from "../engine.js";
import { Phonemizer } from "../espeak/phonemizer.js";
import { ModelThreads } from "../model-threads.js";
import { OnnxEngine } from "./engine.js";
import { SessionPool } from "./session-pool.js";
import { type GraphCall, openVoiceGraph } from "./voice-graph.js";

// From dist/workers/engines/onnx.
const folder = fileURLToPath(new URL("../../../../models/parley-en", import.meta.url));
const log = createLogger("test", "fatal");

async function load(): Promise<SpeechEngine> {
  const threads = new ModelThreads(2);
  // Never started: the embedded voice needs no other program.
  const phonemizer = new Phonemizer({ log, clock: systemClock });
  const engine = await OnnxEngine.load({
    model: await readModelFolder(folder),
    pool: new SessionPool(threads),
    phonemizer,
    providers: ["cpu"],
    log,
  });
  const close = async (): Promise<void> => await threads.close();
  return {
    describe: () => engine.describe(),
    warmUp: () => engine.warmUp(),
    speak: (jobs) => engine.speak(jobs),
    close,
  };
}

speechEngineConformance("the embedded English voice", { load, speaker: "slt", whispers: true });

describe("the embedded English voice", () => {
  let engine: SpeechEngine;
  beforeAll(async () => {
    engine = await load();
    await engine.warmUp();
  });
  afterAll(async () => await engine.close());

  const text = "The morning train to Boston leaves at nine, and nobody knows why.";
  const traitsOf = async (change: {
    delivery?: Partial<Delivery>;
    traits?: VoiceTraits;
    speaker?: string;
  }): Promise<VoiceTraits> => {
    const voice = { traits: change.traits ?? null, speaker: change.speaker ?? null };
    const { samples } = await speakOne(engine, testChunk(text, { delivery: change.delivery, voice }));
    return measureVoice({ samples, sampleRate: engine.describe().sampleRate });
  };
  const semitones = (a: number, b: number): number => 12 * Math.log2(a / b);

  it("has the speakers of its configuration", () => {
    expect(engine.describe()).toMatchObject({
      languages: ["en"],
      sampleRate: 22_050,
      speakers: ["lj", "kathleen", "slt", "rms", "heart", "michael"],
    });
  });

  it("lets questions end higher than statements, with those speakers too whose statements end in a creak without a pitch", async () => {
    const heightOfEnds = async (texts: readonly string[], speaker: string): Promise<number> => {
      const heights: number[] = [];
      for (const spoken of texts) {
        const { samples } = await speakOne(engine, testChunk(spoken, { normalize: true, voice: { speaker } }));
        const [end, whole] = [lastPitchHz(samples, 22_050), medianPitchHz(samples, 22_050)];
        heights.push(semitones(end ?? Number.NaN, whole ?? Number.NaN));
      }
      return heights.reduce((sum, height) => sum + height, 0) / heights.length;
    };
    for (const speaker of engine.describe().speakers) {
      const asked = ["Are you coming today?", "Is it ready?", "Can you call me in the morning?"];
      const stated = ["You are coming today.", "It is ready.", "You can call me in the morning."];
      const [question, statement] = [await heightOfEnds(asked, speaker), await heightOfEnds(stated, speaker)];
      expect([speaker, question - statement > 3]).toEqual([speaker, true]);
      if (["heart", "michael"].includes(speaker)) expect([speaker, question > 1.5]).toEqual([speaker, true]);
    }
  });

  it("moves pitch in the graph: as far as asked, at the same speed", async () => {
    const neutral = await traitsOf({});
    for (const asked of [-4, 3]) {
      const moved = await traitsOf({ delivery: { pitchSemitones: asked } });
      expect(Math.abs(semitones(moved.pitchHz, neutral.pitchHz) - asked)).toBeLessThan(1);
    }
    const plain = await speakOne(engine, testChunk(text));
    const raised = await speakOne(engine, testChunk(text, { delivery: { pitchSemitones: 4 } }));
    // Silence before the first audio is cut where it becomes audible, which is not at the same sample for every pitch.
    expect(Math.abs(raised.samples.length - plain.samples.length)).toBeLessThan(engine.describe().sampleRate * 0.005);
  });

  it("moves more and less as the delivery asks", async () => {
    const flat = await traitsOf({ delivery: { pitchRangeFactor: 0.5 } });
    const lively = await traitsOf({ delivery: { pitchRangeFactor: 1.6 } });
    expect(lively.pitchRangeSemitones / flat.pitchRangeSemitones).toBeGreaterThan(1.4);
  });

  it("gives a cloned voice the speaker nearest to it, and its pitch", async () => {
    const [low, high] = [await traitsOf({ speaker: "rms" }), await traitsOf({ speaker: "lj" })];
    const clonedLow = await traitsOf({ traits: { ...low, pitchHz: low.pitchHz * 0.95 } });
    const clonedHigh = await traitsOf({ traits: { ...high, pitchHz: high.pitchHz * 1.1 } });
    expect(Math.abs(semitones(clonedLow.pitchHz, low.pitchHz * 0.95))).toBeLessThan(1.5);
    expect(Math.abs(semitones(clonedHigh.pitchHz, high.pitchHz * 1.1))).toBeLessThan(1.5);
  });

  it("stresses words between stars and leaves the rest of the sentence's length", async () => {
    const [plain, stressed] = await speakBatch(engine, [
      testChunk("I really mean it today.", { normalize: true }),
      testChunk("I *really* mean it today.", { normalize: true }),
    ]);
    const lengthOf = (spoken: typeof plain, word: string): number => {
      const found = spoken?.words.find((candidate) => candidate.text === word);
      return (found?.endMs ?? 0) - (found?.startMs ?? 0);
    };
    expect(lengthOf(stressed, "really")).toBeGreaterThan(lengthOf(plain, "really") * 1.04);
    expect(Math.abs(lengthOf(stressed, "today") - lengthOf(plain, "today"))).toBeLessThan(20);
  });

  it("gives a row of a batch, with controls of its ids, the durations that it has alone, and the sound within -40 dB", async () => {
    const graph = await openVoiceGraph(`${folder}/model.onnx`, ["cpu"]);
    // "hello there." and "yes?", without pads.
    const rows = [
      [1, 17, 52, 21, 11, 48, 3, 30, 11, 43, 25, 4, 2],
      [1, 18, 11, 43, 26, 6, 2],
    ];
    const controls = rows.map((row, r) => ({
      pitchSemitones: row.map((_, i) => (i % 3) - r),
      durationFactors: row.map((_, i) => 1 + 0.1 * ((i + r) % 4)),
    }));
    const call: Omit<GraphCall, "rows" | "controls" | "speakerIds"> = {
      scales: [0.667, 1.2, 0.9, 1],
      padTo: 24,
      hopLength: 176,
    };
    const batch = await graph.run({ ...call, rows, controls, speakerIds: [0, 2] });
    for (const [i, row] of rows.entries()) {
      const [alone] = await graph.run({
        ...call,
        padTo: 0,
        rows: [row],
        controls: [controls[i] ?? null],
        speakerIds: [i * 2],
      });
      const [plain] = await graph.run({ ...call, padTo: 0, rows: [row], controls: null, speakerIds: [i * 2] });
      expect(batch[i]?.frames).toEqual(alone?.frames);
      expect(alone?.frames).not.toEqual(plain?.frames);
      const [expected, got] = [alone?.audio ?? new Float32Array(1), batch[i]?.audio ?? new Float32Array(0)];
      expect(got.length).toBe(expected.length);
      const [signal, error] = [0, 1].map((which) =>
        expected.reduce((sum, value, k) => sum + (which === 0 ? value : value - (got[k] ?? 9)) ** 2, 0),
      );
      expect(10 * Math.log10((error ?? 1) / (signal ?? 1))).toBeLessThan(-40);
    }
  });

  it("says that it does not speak other languages", async () => {
    for (const chunk of [testChunk("Guten Tag", { voice: { language: "de" } }), testChunk("Добрый день, Tom")]) {
      expect((await speakOne(engine, chunk)).result).toMatchObject({
        result: "failed",
        retryable: false,
        error: { code: "unsupported_language" },
      });
    }
  });
});
