import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastPitchHz, medianPitchHz } from "../testing/pitch.js";
import { speakOne, type Spoken, testChunk } from "../testing/speak.js";
import type { OnnxEngine } from "./engine.js";
import { EmbeddedVoice } from "./testing/embedded-voice.js";

describe("the prosody of the embedded English voice", () => {
  const voice = new EmbeddedVoice();
  let engine: OnnxEngine;
  let without: OnnxEngine;
  beforeAll(async () => {
    [engine, without] = await Promise.all([
      voice.load(),
      voice.loadChanged((manifest) => manifest.replace(/^ {2}prosody.*\n/gm, "")),
    ]);
  });
  afterAll(() => voice.close());

  const read = (text: string, speaker: string, by = engine): Promise<Spoken> =>
    speakOne(by, testChunk(text, { normalize: true, voice: { speaker } }));
  const digest = ({ samples }: Spoken): string => createHash("sha256").update(samples).digest("hex");
  /** Semitones of the pitch that is heard last over that of the whole. */
  const endOf = ({ samples }: Spoken): number => {
    const [end, whole] = [lastPitchHz(samples, 22_050), medianPitchHz(samples, 22_050)];
    return 12 * Math.log2((end ?? Number.NaN) / (whole ?? Number.NaN));
  };

  it("moves the pitch of the reader that gained from it, and leaves the other speakers and all durations as they are", async () => {
    const text = "The old bridge was closed for a year, but nobody in the village minded.";
    for (const speaker of ["lj", "kathleen", "slt", "rms", "heart", "michael"]) {
      const [steered, plain] = [await read(text, speaker), await read(text, speaker, without)];
      expect([speaker, digest(steered) === digest(plain)]).toEqual([speaker, speaker !== "lj"]);
      expect(Math.abs(steered.samples.length - plain.samples.length)).toBeLessThan(22_050 * 0.01);
    }
  });

  it("lets questions for a yes or no end higher than before, and questions with a question word and statements low", async () => {
    const texts = {
      statement: ["The children have already eaten dinner.", "They are coming home on Monday."],
      asked: ["Have the children already eaten dinner?", "Are they coming home on Monday?"],
      what: ["What have the children eaten for dinner?", "When are they coming home again?"],
    };
    const ends = async (by: OnnxEngine): Promise<Record<keyof typeof texts, number>> => {
      const mean = async (pair: readonly string[]): Promise<number> => {
        const heights = await Promise.all(pair.map(async (text) => endOf(await read(text, "lj", by))));
        return heights.reduce((sum, height) => sum + height, 0) / heights.length;
      };
      return { statement: await mean(texts.statement), asked: await mean(texts.asked), what: await mean(texts.what) };
    };
    const [now, before] = [await ends(engine), await ends(without)];
    expect(now.asked - now.statement).toBeGreaterThan(before.asked - before.statement + 2);
    expect(now.asked - now.what).toBeGreaterThan(3);
    expect(now.statement).toBeLessThan(-1);
  });

  it("begins a sentence higher than it ends it", async () => {
    const levelOfGarden = async (text: string): Promise<number> => {
      const { samples, words } = await read(text, "lj");
      const word = words.find((candidate) => /^garden/.test(candidate.text));
      const [from = 0, to = 0] = [word?.startMs, word?.endMs].map((ms) => Math.round((ms ?? 0) * 22.05));
      return 12 * Math.log2(medianPitchHz(samples.subarray(from, to), 22_050) ?? 1);
    };
    const [first, last] = [await levelOfGarden("The garden was quiet."), await levelOfGarden("It was a quiet garden.")];
    expect(first - last).toBeGreaterThan(1);
  });
});
