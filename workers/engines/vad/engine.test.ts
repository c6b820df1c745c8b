import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeAudio } from "#audio/decoding/decode";
import { tone } from "#audio/testing/signals";
import { cutAudio } from "#transcription/segmentation/cut";
import { joinAnswers, vadWindows } from "#transcription/testing/vad-windows";
import { createLogger } from "#common/log";
import { readModelFolder } from "../../repository/folder.js";
import { recognizeOne, noise, silence } from "../testing/recognize.js";
import { recognizerConformance } from "../testing/recognizer-suite.js";
import type { Recognizer } from "../recognizer.js";
import { ModelThreads } from "../model-threads.js";
import { VadEngine } from "./engine.js";

const folder = fileURLToPath(new URL("../../../../models/parley-vad", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "parley-detector-"));
const threads = new ModelThreads(1);
const log = createLogger("test", "silent");

const load = async (from: string): Promise<VadEngine> =>
  await VadEngine.load({ model: await readModelFolder(from), threads, log });

/** Runtimes, what runs their graphs, and folders of the same detector for each. */
const runtimes: [string, RegExp, string][] = [
  ["onnx-vad", /^cpu$/, folder],
  ["tfjs", /^(wasm|tensorflow)$/, copyFor("tfjs", "model.json")],
];

/** A copy of the shipped folder that names another engine and graph, and no digests. */
function copyFor(engine: string, graph: string): string {
  const copy = mkdtempSync(join(directory, "copy-"));
  cpSync(folder, copy, { recursive: true });
  const manifest = join(copy, "model.yaml");
  const text = readFileSync(manifest, "utf8")
    .replace("engine: onnx-vad", `engine: ${engine}`)
    .replace(/graph: .*/, `graph: { path: ${graph} }`);
  writeFileSync(manifest, text);
  return copy;
}

/** A recording of somebody who speaks from 1.50 to 4.77 s and from 6.27 to 10.94 s, of 12.44 s. */
async function example(): Promise<Int16Array> {
  const { pcm } = await decodeAudio(readFileSync(join(folder, "example.opus")), { maxSeconds: 60, sampleRate: 16_000 });
  return pcm.samples;
}

async function detect(engine: Recognizer, samples: Int16Array): Promise<Uint8Array> {
  const result = await recognizeOne(engine, samples);
  if (result.result !== "vad") expect.fail(result.result);
  return result.speech;
}

const shareAbove = (speech: Uint8Array, from: number, to: number): number => {
  const part = speech.subarray(from * 100, to * 100);
  return part.filter((answer) => answer >= 128).length / part.length;
};

afterAll(async () => {
  await threads.close();
  rmSync(directory, { recursive: true });
});

for (const [runtime, , from] of runtimes)
  recognizerConformance(`${runtime} with parley-vad`, {
    task: "vad",
    load: () => load(from),
    speech: async () => {
      const samples = await example();
      return [samples.slice(16_000, 4 * 16_000), samples.slice(6 * 16_000, 9 * 16_000)];
    },
  });

describe.each(runtimes)("the speech detector of %s", (runtime, provider, from) => {
  let engine: VadEngine;
  let samples: Int16Array;
  beforeAll(async () => {
    engine = await load(from);
    samples = await example();
  });

  it("hears speech where it is", async () => {
    const speech = await detect(engine, samples);
    expect(shareAbove(speech, 1.6, 4.7)).toBeGreaterThan(0.9);
    expect(shareAbove(speech, 6.4, 10.8)).toBeGreaterThan(0.85);
    for (const [from, to] of [
      [0.3, 1.3],
      [5.1, 6.0],
      [11.3, 12.3],
    ] as const) {
      expect(shareAbove(speech, from, to), `${from} to ${to} s`).toBe(0);
    }
    const segments = cutAudio(speech, samples.length, { targetSeconds: 4 }).map(({ startSample, endSample }) => [
      startSample / 16_000,
      endSample / 16_000,
    ]);
    expect(segments).toHaveLength(2);
    for (const [i, second] of [1.5, 4.77, 6.27, 10.94].entries()) {
      expect(Math.abs((segments[i >> 1]?.[i & 1] ?? 0) - second), `at ${second} s`).toBeLessThan(0.5);
    }
  });

  it("hears speech in noise and when it is faint", async () => {
    const hiss = noise(13, 150, 0.5);
    const faint = samples.map((sample, i) => Math.round(sample / 30) + Math.round((hiss[i] as number) / 30));
    const noisy = samples.map((sample, i) => Math.round(sample / 2) + (hiss[i] as number));
    for (const recognized of [faint, noisy]) {
      const speech = await detect(engine, recognized);
      expect(shareAbove(speech, 1.6, 4.7)).toBeGreaterThan(0.8);
      expect(shareAbove(speech, 0.3, 1.3)).toBeLessThan(0.1);
    }
  });

  it.each([440, 50, 3000])("takes no tone of %i Hz for speech, beyond its beginning", async (frequencyHz) => {
    expect(shareAbove(await detect(engine, tone(frequencyHz, 3, 16_000)), 0.3, 3)).toBe(0);
  });

  it("gives windows of a sound, put together, the answers of the whole", async () => {
    const whole = await detect(engine, samples);
    for (const seconds of [1, 2.345, 5, 11]) {
      const windows = vadWindows(samples.length, seconds);
      const answers = await Promise.all(
        windows.map(({ startSample, endSample }) => detect(engine, samples.subarray(startSample, endSample))),
      );
      expect(Buffer.from(joinAnswers(windows, answers)).equals(whole), `windows of ${seconds} s`).toBe(true);
    }
  });

  it("takes no more context than it says: sound beyond it changes nothing", async () => {
    const at = 700;
    const whole = await detect(engine, samples);
    const others = samples.map((sample, i) =>
      i < (at - 60) * 160 || i >= (at + 1 + 27) * 160 ? -sample >> 1 : sample,
    );
    expect((await detect(engine, others))[at]).toBe(whole[at]);
  });

  it("names what runs it, and has an answer for every begun step", async () => {
    expect(engine.describe()).toMatchObject({
      name: "parley-vad",
      task: "vad",
      languages: ["*"],
      provider: expect.stringMatching(provider),
    });
    expect(await detect(engine, silence(0.01).subarray(0, 1))).toHaveLength(1);
    expect(await detect(engine, new Int16Array(161))).toHaveLength(2);
  });

  it("gives what the other one gives, but for rounding", async () => {
    const answers = await detect(engine, samples);
    const others = await Promise.all(
      runtimes.filter(([name]) => name !== runtime).map(async ([, , path]) => detect(await load(path), samples)),
    );
    expect(others).toHaveLength(1);
    for (const other of others)
      expect(Math.max(...answers.map((answer, i) => Math.abs(answer - (other[i] as number))))).toBeLessThanOrEqual(1);
  });

  it("fails as retryable once it is closed", async () => {
    const closed = await load(from);
    await closed.close();
    expect(await recognizeOne(closed, silence(1))).toMatchObject({ result: "failed", retryable: true });
  });
});

describe("a speech detector that cannot be loaded says why", () => {
  const graphOf = { "onnx-vad": "model.onnx", tfjs: "model.json" } as const;
  it.each<[keyof typeof graphOf, string, (path: string) => void, RegExp]>([
    ["onnx-vad", "no graph", (path) => writeFileSync(join(path, "model.onnx"), "no graph"), /cannot be loaded/],
    ["onnx-vad", "a graph cut off", (path) => truncateSync(join(path, "model.onnx"), 1000), /cannot be loaded/],
    ["onnx-vad", "another operation", (path) => replace(join(path, "model.onnx"), "Sigmoid", "Sigmund"), /Sigmund/],
    [
      "onnx-vad",
      "a graph that is no detector",
      (path) => cpSync(join(folder, "../parley-asr-en/model.onnx"), join(path, "model.onnx")),
      /one input, features, and one output, speech/,
    ],
    ["tfjs", "no JSON", (path) => writeFileSync(join(path, "model.json"), "no graph"), /cannot be loaded/],
    ["tfjs", "weights cut off", (path) => truncateSync(join(path, "weights.bin"), 1000), /cannot be loaded/],
    ["tfjs", "another operation", (path) => replace(join(path, "model.json"), "Sigmoid", "Sigmund"), /Sigmund/],
    [
      "tfjs",
      "another number of bands",
      (path) => replace(join(path, "model.json"), '"size":"40"', '"size":"41"'),
      /cannot be loaded|41/,
    ],
  ])("%s: %s", async (engine, _what, spoil, reason) => {
    const spoilt = copyFor(engine, graphOf[engine]);
    spoil(spoilt);
    await expect(load(spoilt)).rejects.toThrow(reason);
  });
});

function replace(path: string, from: string, to: string): void {
  writeFileSync(path, readFileSync(path, "latin1").replaceAll(from, to), "latin1");
}
