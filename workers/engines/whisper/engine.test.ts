import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { readModelFolder } from "../../repository/folder.js";
import { openRepository } from "../../repository/repository.js";
import { recognizeOne, recognitionJob, wordsOf } from "../testing/recognize.js";
import { recognizerConformance } from "../testing/recognizer-suite.js";
import { toneAudio, tonesOf } from "../ctc/testing/tone-recognizer.js";
import type { Recognizer } from "../recognizer.js";
import { loadEngines } from "../load.js";
import { ModelThreads } from "../model-threads.js";
import { EncoderDecoderEngine } from "../encoder-decoder/engine.js";
import { type ToneWhisperOptions, writeToneWhisper } from "./testing/tone-whisper.js";

const directory = mkdtempSync(join(tmpdir(), "parley-whisper-"));
const log = createLogger("test", "fatal");
const threads = new ModelThreads(2);
let count = 0;

function folderOf(change: Partial<ToneWhisperOptions> = {}): string {
  const folder = join(directory, `ear-${count++}`);
  writeToneWhisper(folder, change);
  return folder;
}

async function load(change: Partial<ToneWhisperOptions> = {}): Promise<Recognizer> {
  return await EncoderDecoderEngine.load({
    model: await readModelFolder(folderOf(change)),
    threads,
    providers: ["cpu"],
    log,
  });
}

afterAll(async () => {
  await threads.close();
  rmSync(directory, { recursive: true });
});

recognizerConformance("whisper", {
  task: "transcribe",
  load: () => load(),
  speech: async () => [toneAudio(tonesOf("bad cab")), toneAudio(tonesOf("glad bean"))],
});

describe("the engine whisper", () => {
  it("writes what it hears, with times inside the phrase", async () => {
    const words = wordsOf(await recognizeOne(await load(), toneAudio(tonesOf("bead cling john"))));
    expect(words.map(({ text }) => text)).toEqual(["bead", "cling", "john"]);
    // Timestamps of the made-up model: of the frame before the first tone, and of the one after the last.
    expect(words[0]?.startMs).toBe(160);
    expect(words[2]?.endMs).toBe(3560);
    expect(words.every(({ confidence }) => confidence > 0.9)).toBe(true);
  });

  it("tells the language from the sound, takes the one that is named, and refuses those it does not know", async () => {
    const engine = await load({ language: "fr" });
    expect(engine.describe()).toMatchObject({ languages: ["en", "fr"], maxBatch: 1 });
    const audio = toneAudio(tonesOf("bad cab"));
    const results = await engine.recognize(
      [null, "en-GB", "de"].map((language) =>
        recognitionJob("transcribe", audio, language === null ? {} : { language }),
      ),
    );
    expect(results).toMatchObject([
      { result: "recognized", language: "fr" },
      { result: "recognized", language: "en" },
      { result: "failed", retryable: false, error: { code: "unsupported_language" } },
    ]);
  });

  it("hears with an English-only model that has no generation_config.json", async () => {
    const engine = await load({ multilingual: false, generation: false });
    expect(engine.describe().languages).toEqual(["en"]);
    expect(wordsOf(await recognizeOne(engine, toneAudio(tonesOf("ma lo")))).map(({ text }) => text)).toEqual([
      "ma",
      "lo",
    ]);
  });

  it("puts bytes of several tokens together to characters, and marks to words", async () => {
    const bytes = [...Buffer.from("é")];
    expect(bytes.length).toBe(2);
    const texts = [" caf", "e\u0301", ",", " 日", "本", "!"];
    const engine = await load({ texts });
    expect(wordsOf(await recognizeOne(engine, toneAudio([0, 1, 2, 3, 4, 5]))).map(({ text }) => text)).toEqual([
      "cafe\u0301,",
      "日本!",
    ]);
  });
});

const edit = (file: string, change: (text: string) => string) => (folder: string) => {
  const path = join(folder, file);
  writeFileSync(path, Buffer.from(change(readFileSync(path, "latin1")), "latin1"));
};
const bad: readonly [string, RegExp, (folder: string) => void][] = [
  [
    "no merged decoder",
    /no onnx\/decoder_model_merged/,
    (folder) => rmSync(join(folder, "onnx/decoder_model_merged.onnx")),
  ],
  ["no tokenizer", /holds no tokenizer\.json/, (folder) => rmSync(join(folder, "tokenizer.json"))],
  ["an encoder that is none", /the encoder cannot be loaded/, edit("onnx/encoder_model.onnx", () => "no graph")],
  [
    "an unknown operator",
    /Gathur/,
    edit("onnx/decoder_model_merged.onnx", (text) => text.replaceAll("Gather", "Gathur")),
  ],
  [
    "a decoder without cache",
    /lacks the input past_key_values\.0\.decoder\.key/,
    edit("onnx/decoder_model_merged.onnx", (text) => text.replaceAll("past_key_values", "pest_key_values")),
  ],
  [
    "another input of the encoder",
    /input_featurez/,
    edit("onnx/encoder_model.onnx", (text) => text.replaceAll("input_features", "input_featurez")),
  ],
  [
    "another family",
    /config\.json: model_type/,
    edit("config.json", (text) => text.replace('"whisper"', '"speecht5"')),
  ],
  [
    "other layers",
    /lacks the input past_key_values\.1/,
    edit("config.json", (text) => text.replace('"decoder_layers":1', '"decoder_layers":2')),
  ],
  [
    "other heads",
    /do not take the inputs of whisper/,
    edit("config.json", (text) => text.replace('"decoder_attention_heads":2', '"decoder_attention_heads":4')),
  ],
  [
    "another size of the vocabulary",
    /logits are \[1, 1, 1525\], not \[1, 1, 1526\]/,
    edit("config.json", (text) => text.replace('"vocab_size":1525', '"vocab_size":1526')),
  ],
  [
    "other bands",
    /128 mel bands, preprocessor_config\.json 80/,
    edit("config.json", (text) => text.replace('"num_mel_bins":80', '"num_mel_bins":128')),
  ],
  ["another rate", /sampling_rate/, edit("preprocessor_config.json", (text) => text.replace("16000", "8000"))],
  [
    "no token for the start",
    /lacks <\|startoftranscript\|>/,
    edit("tokenizer.json", (text) => text.replaceAll("<|startoftranscript|>", "<|begin|>")),
  ],
  ["a tokenizer that is none", /tokenizer\.json cannot be read/, edit("tokenizer.json", () => "{")],
];

describe("Whisper folders that cannot be served", () => {
  it("are reported with their reasons, and the others serve", { timeout: 60_000 }, async () => {
    const root = join(directory, "root");
    writeToneWhisper(join(root, "good"));
    for (const [i, [, , spoil]] of bad.entries()) {
      writeToneWhisper(join(root, `bad-${i}`));
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
      for (const [i, [what, reason]] of bad.entries())
        expect(loaded.broken.find(({ name }) => name === `bad-${i}`)?.reason, what).toMatch(reason);
    } finally {
      await loaded.close();
    }
  });
});
