import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecognizedWord } from "#protocol/transcription/chunk";
import { createLogger } from "#common/log";
import { readModelFolder } from "../../repository/folder.js";
import { recognizeOne, noise, wordsOf } from "../testing/recognize.js";
import { recognizerConformance } from "../testing/recognizer-suite.js";
import { ModelThreads } from "../model-threads.js";
import { CtcEngine } from "./engine.js";
import { type Clip, readClips } from "./testing/clips.js";
import { compareWords } from "./testing/word-errors.js";

const folder = fileURLToPath(new URL("../../../../models/parley-asr-en", import.meta.url));
const threads = new ModelThreads(1);
const load = async (path = folder): Promise<CtcEngine> =>
  await CtcEngine.load({
    model: await readModelFolder(path),
    threads,
    providers: ["cpu"],
    log: createLogger("test", "fatal"),
  });

let clips: Clip[] = [];
beforeAll(async () => {
  clips = await readClips();
});
afterAll(async () => await threads.close());

const samplesOf = (i: number): Int16Array => clips[i]?.samples ?? new Int16Array(0);

recognizerConformance("parley-asr-en", {
  task: "transcribe",
  load: () => load(),
  speech: async () => {
    const all = await readClips();
    return [all[0]?.samples ?? new Int16Array(0), all[1]?.samples ?? new Int16Array(0)];
  },
});

describe("parley-asr-en", () => {
  let engine: CtcEngine;
  let recognized: RecognizedWord[][] = [];
  beforeAll(async () => {
    engine = await load();
    recognized = [];
    for (const clip of clips) recognized.push(wordsOf(await recognizeOne(engine, clip.samples)));
  });

  it("hears most of what a human reader says, and is surer of right words than of wrong ones", () => {
    const said = clips.reduce((sum, { words }) => sum + words.length, 0);
    const compared = clips.map(({ words }, i) =>
      compareWords(
        words,
        (recognized[i] ?? []).map(({ text }) => text),
      ),
    );
    const errors = compared.reduce((sum, clip) => sum + clip.errors, 0);
    expect(said).toBe(54);
    expect(errors / said).toBeLessThan(0.35);
    const confidences = (right: boolean): number[] =>
      compared.flatMap((clip, i) =>
        (recognized[i] ?? []).filter((_, j) => clip.right[j] === right).map(({ confidence }) => confidence),
      );
    const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(confidences(true))).toBeGreaterThan(0.6);
    if (confidences(false).length > 0) expect(mean(confidences(false))).toBeLessThan(mean(confidences(true)));
  });

  it("hears the same words whatever the loudness, and some of them in noise as loud as the speech is on average", async () => {
    const clip = samplesOf(3);
    const words = (recognized[3] ?? []).map(({ text }) => text);
    const soft = wordsOf(
      await recognizeOne(
        engine,
        clip.map((sample) => sample / 8),
      ),
    ).map(({ text }) => text);
    expect(compareWords(words, soft).errors).toBeLessThanOrEqual(2);
    const rms = Math.sqrt(clip.reduce((sum, sample) => sum + sample * sample, 0) / clip.length);
    const hiss = noise(Math.ceil(clip.length / 16_000), rms, 0);
    const noisy = clip.map((sample, i) => sample + (hiss[i] ?? 0));
    expect(wordsOf(await recognizeOne(engine, noisy)).length).toBeGreaterThan(1);
  });

  it("times words where they are, wherever the sound begins", async () => {
    const delayMs = 1000;
    const later = new Int16Array(samplesOf(3).length + 16 * delayMs);
    later.set(samplesOf(3), 16 * delayMs);
    const moved = wordsOf(await recognizeOne(engine, later));
    const before = recognized[3] ?? [];
    expect(
      compareWords(
        before.map(({ text }) => text),
        moved.map(({ text }) => text),
      ).errors,
    ).toBeLessThanOrEqual(3);
    const pairs = before.flatMap((word) =>
      moved.filter(({ text }) => text === word.text).map((other) => other.startMs - word.startMs - delayMs),
    );
    expect(pairs.filter((ms) => Math.abs(ms) <= 90).length).toBeGreaterThan(before.length / 2);
  });

  it("hears with 8-bit integers what it hears with floats, a little surer or less sure of it", async () => {
    const without = mkdtempSync(join(tmpdir(), "parley-floats-"));
    cpSync(folder, without, { recursive: true });
    const manifest = readFileSync(join(without, "model.yaml"), "utf8");
    writeFileSync(join(without, "model.yaml"), manifest.replace(/^ {2}int8:.*\n/m, ""));
    const [floats, integers] = [await load(without), engine];
    rmSync(without, { recursive: true });
    let [errors, apart] = [0, 0];
    for (const clip of clips) {
      const one = wordsOf(await recognizeOne(floats, clip.samples));
      const other = wordsOf(await recognizeOne(integers, clip.samples));
      const texts = [one, other].map((words) => words.map(({ text }) => text)) as [string[], string[]];
      errors += compareWords(...texts).errors;
      for (const [i, { text, confidence }] of one.entries())
        if (other[i]?.text === text) apart = Math.max(apart, Math.abs(confidence - (other[i]?.confidence ?? 0)));
    }
    expect(errors).toBeLessThanOrEqual(3);
    expect(apart).toBeGreaterThan(0);
    expect(apart).toBeLessThan(0.3);
  });
});
