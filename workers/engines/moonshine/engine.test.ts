import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { readModelFolder } from "../../repository/folder.js";
import { openRepository } from "../../repository/repository.js";
import { toneAudio, tonesOf } from "../ctc/testing/tone-recognizer.js";
import { EncoderDecoderEngine } from "../encoder-decoder/engine.js";
import { loadEngines } from "../load.js";
import { ModelThreads } from "../model-threads.js";
import type { Recognizer } from "../recognizer.js";
import { recognizeOne, recognitionJob, wordsOf } from "../testing/recognize.js";
import { recognizerConformance } from "../testing/recognizer-suite.js";
import { type ToneMoonshineOptions, writeToneMoonshine } from "./testing/tone-moonshine.js";

const directory = mkdtempSync(join(tmpdir(), "parley-moonshine-"));
const log = createLogger("test", "fatal");
const threads = new ModelThreads(2);
let count = 0;

async function load(change: Partial<ToneMoonshineOptions> = {}, manifest?: string): Promise<Recognizer> {
  const folder = join(directory, `ear-${count++}`);
  writeToneMoonshine(folder, change);
  if (manifest !== undefined) writeFileSync(join(folder, "model.yaml"), manifest);
  return await EncoderDecoderEngine.load({ model: await readModelFolder(folder), threads, providers: ["cpu"], log });
}

const textOf = async (engine: Recognizer, audio: Int16Array): Promise<string> =>
  wordsOf(await recognizeOne(engine, audio))
    .map(({ text }) => text)
    .join(" ");

afterAll(async () => {
  await threads.close();
  rmSync(directory, { recursive: true });
});

recognizerConformance("moonshine", {
  task: "transcribe",
  load: () => load(),
  speech: async () => [toneAudio(tonesOf("bad cab")), toneAudio(tonesOf("glad bean"))],
});

describe("the engine moonshine", () => {
  it("writes what it hears, its words one after the other over the audio", async () => {
    const words = wordsOf(await recognizeOne(await load(), toneAudio(tonesOf("bead cling john"))));
    expect(words.map(({ text }) => text)).toEqual(["bead", "cling", "john"]);
    expect(words.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [0, 1169],
      [1169, 2631],
      [2631, 3800],
    ]);
    expect(words.every(({ confidence }) => confidence > 0.9 && confidence <= 1)).toBe(true);
  });

  it("reads what Hugging Face's exporter writes as well", async () => {
    expect(await textOf(await load({ layout: "exported" }), toneAudio(tonesOf("ma lo")))).toBe("ma lo");
  });

  it("puts bytes of several tokens together to characters", async () => {
    const pieces = [Buffer.from("\u2581caf"), Uint8Array.of(0xc3), Uint8Array.of(0xa9), Buffer.from("\u2581d'or")];
    expect(await textOf(await load({ pieces }), toneAudio([0, 1, 2, 3]))).toBe("café d'or");
  });

  it("stops a text that never ends where nobody could have said more", async () => {
    const audio = toneAudio(tonesOf("bad"));
    const text = await textOf(await load({ ends: false }), audio);
    const most = 2 + Math.floor((audio.length / 16_000) * 6.5);
    expect(text.replaceAll(" ", "").length).toBeGreaterThan(3);
    expect(text.length).toBeLessThanOrEqual(most);
  });

  it("takes a piece that is shorter than a window of its encoder", async () => {
    const tone = toneAudio([0]).subarray(5500, 5880);
    expect((await recognizeOne(await load(), tone)).result).toBe("recognized");
  });

  it("knows English, or the languages of model.yaml", async () => {
    const audio = toneAudio(tonesOf("bad cab"));
    const english = await load();
    expect(english.describe()).toMatchObject({ languages: ["en"], maxBatch: 1 });
    const results = await english.recognize(
      ["en-GB", "de"].map((language) => recognitionJob("transcribe", audio, { language })),
    );
    expect(results).toMatchObject([
      { result: "recognized", language: "en" },
      { result: "failed", retryable: false, error: { code: "unsupported_language" } },
    ]);
    const files =
      "{ encoder: { path: encoder_model.onnx }, decoder: { path: decoder_model_merged.onnx }, tokens: { path: tokenizer.bin } }";
    const spanish = await load(
      {},
      `name: orador\ntask: transcribe\nengine: moonshine\nlicence: MIT\nlanguages: [es]\nfiles: ${files}\n`,
    );
    expect(await recognizeOne(spanish, audio)).toMatchObject({ result: "recognized", language: "es" });
  });
});

const edit = (file: string, change: (text: string) => string) => (folder: string) => {
  const path = join(folder, file);
  writeFileSync(path, Buffer.from(change(readFileSync(path, "latin1")), "latin1"));
};
const remove = (file: string) => (folder: string) => rmSync(join(folder, file));
const bad: readonly [what: string, layout: ToneMoonshineOptions["layout"], RegExp, (folder: string) => void][] = [
  ["no encoder", "own", /no encoder_model\.ort or encoder_model\.onnx/, remove("encoder_model.onnx")],
  ["no merged decoder", "own", /no decoder_model_merged\.ort/, remove("decoder_model_merged.onnx")],
  ["no exported decoder", "exported", /no onnx\/decoder_model_merged/, remove("onnx/decoder_model_merged.onnx")],
  ["no exported encoder", "exported", /no onnx\/encoder_model/, remove("onnx/encoder_model.onnx")],
  ["no tokenizer.json", "exported", /holds no tokenizer\.json/, remove("tokenizer.json")],
  ["a tokenizer.json that is none", "exported", /tokenizer\.json cannot be read/, edit("tokenizer.json", () => "{")],
  ["an encoder that is none", "own", /the encoder cannot be loaded/, edit("encoder_model.onnx", () => "no graph")],
  [
    "another input of the encoder",
    "own",
    /input_valuez/,
    edit("encoder_model.onnx", (text) => text.replaceAll("input_values", "input_valuez")),
  ],
  [
    "a decoder without cache",
    "own",
    /past_key_values\.0\.decoder\.key says no number of heads/,
    edit("decoder_model_merged.onnx", (text) => text.replaceAll("past_key_values", "pest_key_values")),
  ],
  [
    "a table that is cut off",
    "own",
    /tokenizer\.bin ends inside token/,
    edit("tokenizer.bin", (text) => text.slice(0, -1)),
  ],
  ["a table without tokens", "own", /tokenizer\.bin holds 0 tokens/, edit("tokenizer.bin", () => "")],
  [
    "a table of another model",
    "own",
    /scores 21 tokens, the table names 24/,
    edit("tokenizer.bin", (text) => `${text}\x01p\x01q\x01r\x01s\x01t`),
  ],
];

describe("Moonshine folders that cannot be served", () => {
  it("are reported with their reasons, and the others serve", { timeout: 60_000 }, async () => {
    const root = join(directory, "root");
    writeToneMoonshine(join(root, "good"));
    for (const [i, [, layout, , spoil]] of bad.entries()) {
      writeToneMoonshine(join(root, `bad-${i}`), { layout });
      spoil(join(root, `bad-${i}`));
    }
    const loaded = await loadEngines(await openRepository([root], []), {
      slots: 1,
      providers: ["cpu"],
      log: createLogger("test", "silent"),
      clock: systemClock,
    });
    try {
      expect([...loaded.recognizers.keys()]).toEqual(["good"]);
      for (const [i, [what, , reason]] of bad.entries())
        expect(loaded.broken.find(({ name }) => name === `bad-${i}`)?.reason, what).toMatch(reason);
    } finally {
      await loaded.close();
    }
  });
});
