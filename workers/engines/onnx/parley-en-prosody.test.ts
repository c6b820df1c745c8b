import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { medianPitchHz } from "../testing/pitch.js";
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
  /** Semitones of the pitch of the last word over that of the whole. */
  const endOf = ({ samples, words }: Spoken): number => {
    const from = Math.round((words.at(-1)?.startMs ?? 0) * 22.05);
    const [end, whole] = [medianPitchHz(samples.subarray(from), 22_050), medianPitchHz(samples, 22_050)];
    return 12 * Math.log2((end ?? 1) / (whole ?? 1));
  };

  it("moves the pitch of the reader that gained from it, and leaves the other speakers and all durations as they are", async () => {
    const text = "The old bridge was closed for a year, but nobody in the village minded.";
    for (const speaker of ["lj", "kathleen", "slt", "rms"]) {
      const [steered, plain] = [await read(text, speaker), await read(text, speaker, without)];
      expect([speaker, digest(steered) === digest(plain)]).toEqual([speaker, speaker !== "lj"]);
      expect(Math.abs(steered.samples.length - plain.samples.length)).toBeLessThan(22_050 * 0.01);
    }
  });

  it("lets questions for a yes or no end higher than before, and questions with a question word and statements low", async () => {
    const ends = async (by: OnnxEngine): Promise<{ statement: number; asked: number; what: number }> => ({
      statement: endOf(await read("The children have already eaten dinner.", "lj", by)),
      asked: endOf(await read("Have the children already eaten dinner?", "lj", by)),
      what: endOf(await read("What have the children eaten for dinner?", "lj", by)),
    });
    const [now, before] = [await ends(engine), await ends(without)];
    expect(now.asked - now.statement).toBeGreaterThan(before.asked - before.statement + 1);
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
