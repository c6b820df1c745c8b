import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { openRepository } from "../../repository/repository.js";
import { recognizeOne, wordsOf } from "../testing/recognize.js";
import { loadEngines } from "../load.js";
import { toneLexicon } from "./testing/tone-lexicon.js";
import { letterSymbols, toneAudio, writeToneRecognizer } from "./testing/tone-recognizer.js";

const directory = mkdtempSync(join(tmpdir(), "parley-deaf-"));
afterAll(() => rmSync(directory, { recursive: true }));

const files = "  graph: { path: model.onnx }\n  tokens: { path: tokens.txt }\n";
const described = (name: string): string =>
  `name: ${name}\ntask: listen\nengine: ctc\nlicence: CC0-1.0\nfiles:\n${files}`;
/** Writes a model.yaml, changed, with the folder's name. */
const describing = (change: (yaml: string) => string) => (folder: string) =>
  writeFileSync(join(folder, "model.yaml"), change(described(basename(folder))));

interface BadFolder {
  what: string;
  reason: RegExp;
  spoil(folder: string): void;
}

const write = (file: string, text: string | Uint8Array) => (folder: string) => writeFileSync(join(folder, file), text);
const replaceBytes = (file: string, from: string, to: string) => (folder: string) => {
  const path = join(folder, file);
  writeFileSync(path, Buffer.from(readFileSync(path, "latin1").replaceAll(from, to), "latin1"));
};
const withWords = (bytes: (whole: Uint8Array) => Uint8Array) => (folder: string) => {
  writeToneRecognizer(folder, { symbols: toneLexicon.symbols, words: toneLexicon.model });
  writeFileSync(join(folder, "words.bin"), bytes(readFileSync(join(folder, "words.bin"))));
  describing((yaml) => `${yaml}  words: { path: words.bin }\n`)(folder);
};
const model = (change: Parameters<typeof writeToneRecognizer>[1]) => (folder: string) =>
  writeToneRecognizer(folder, change);

const bad: readonly BadFolder[] = [
  { what: "a graph that is none", reason: /graph cannot be loaded/, spoil: write("model.onnx", "no graph") },
  {
    what: "an operator that does not exist",
    reason: /LogSoftmux/,
    spoil: replaceBytes("model.onnx", "LogSoftmax", "LogSoftmux"),
  },
  {
    what: "an unknown kind",
    reason: /wenet_ctc is no layout/,
    spoil: model({ metadata: { model_type: "wenet_ctc" } }),
  },
  {
    what: "another normalization",
    reason: /all_features/,
    spoil: model({ layout: "nemo_ctc", metadata: { normalize_type: "all_features" } }),
  },
  { what: "two layouts", reason: /nemo_ctc.*zipformer2_ctc/, spoil: describing((yaml) => `${yaml}layout: nemo_ctc\n`) },
  { what: "too few tokens", reason: /17 symbols, the tokens are 16/, spoil: replaceBytes("tokens.txt", "o 16\n", "") },
  { what: "no blank", reason: /blank/, spoil: replaceBytes("tokens.txt", "<blk>", "<b>") },
  { what: "a number twice", reason: /twice/, spoil: replaceBytes("tokens.txt", "b 3", "b 2") },
  { what: "tokens that are none", reason: /line 1/, spoil: write("tokens.txt", "{}\n") },
  {
    what: "a missing file",
    reason: /gone\.onnx .*missing/,
    spoil: describing((yaml) => yaml.replace("model.onnx", "gone.onnx")),
  },
  { what: "no tokens named", reason: /tokens/, spoil: describing((yaml) => yaml.replace(/ {2}tokens.*\n/, "")) },
  { what: "another rate", reason: /8000 Hz/, spoil: describing((yaml) => `${yaml}sampleRate: 8000\n`) },
  {
    what: "another task",
    reason: /must be transcribe/,
    spoil: describing((yaml) => yaml.replace("task: listen", "task: speak")),
  },
  { what: "an odd beam", reason: /beam/, spoil: describing((yaml) => `${yaml}decoding: { beam: 0 }\n`) },
  {
    what: "half a words file",
    reason: /words has \d+ bytes/,
    spoil: withWords((whole) => whole.subarray(0, whole.length >> 1)),
  },
  { what: "no words file", reason: /words/, spoil: withWords(() => new Uint8Array(7)) },
  {
    what: "words of other tokens",
    reason: /symbol 200/,
    spoil: withWords((whole) => replaced(whole, [2, 3, 4], [2, 3, 200])),
  },
];

function replaced(whole: Uint8Array, from: readonly number[], to: readonly number[]): Uint8Array {
  const at = Buffer.from(whole).indexOf(Buffer.from(from), 24);
  const changed = whole.slice();
  changed.set(to, at);
  return changed;
}

describe("recognizers that cannot be served", () => {
  it("are reported with their reasons, and the others serve", { timeout: 60_000 }, async () => {
    writeToneRecognizer(join(directory, "bare-zipformer"));
    writeToneRecognizer(join(directory, "bare-nemo"), { layout: "nemo_ctc" });
    writeToneRecognizer(join(directory, "bare-waveform"), { layout: "waveform_ctc" });
    for (const [i, { spoil }] of bad.entries()) {
      const folder = join(directory, `bad-${i}`);
      writeToneRecognizer(folder);
      spoil(folder);
    }
    const repository = await openRepository([directory], []);
    const loaded = await loadEngines(repository, {
      slots: 1,
      providers: ["cpu"],
      log: createLogger("test", "silent"),
      clock: systemClock,
    });
    try {
      expect([...loaded.recognizers.keys()].sort()).toEqual(["bare-nemo", "bare-waveform", "bare-zipformer"]);
      expect([...loaded.engines.keys()]).toEqual([]);
      const audio = toneAudio([..." bead cling"].map((letter) => (letter === " " ? 0 : letterSymbols.indexOf(letter))));
      for (const engine of loaded.recognizers.values()) {
        expect(wordsOf(await recognizeOne(engine, audio)).map(({ text }) => text)).toEqual(["bead", "cling"]);
        expect(engine.describe()).toMatchObject({ task: "transcribe", languages: ["*"] });
      }
      for (const [i, { what, reason }] of bad.entries()) {
        expect(loaded.broken.find(({ name }) => name === `bad-${i}`)?.reason, what).toMatch(reason);
      }
    } finally {
      await loaded.close();
    }
  });
});
