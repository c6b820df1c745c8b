import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createLogger } from "#common/log";
import { readModelFolder } from "../../repository/folder.js";
import { recognizeOne, recognitionJob, wordsOf } from "../testing/recognize.js";
import { recognizerConformance } from "../testing/recognizer-suite.js";
import type { Recognizer } from "../recognizer.js";
import { ModelThreads } from "../model-threads.js";
import { CtcEngine } from "./engine.js";
import { toneLexicon } from "./testing/tone-lexicon.js";
import { type ToneRecognizerOptions, toneAudio, writeToneRecognizer, tonesOf } from "./testing/tone-recognizer.js";

const directory = mkdtempSync(join(tmpdir(), "parley-ears-"));
const log = createLogger("test", "fatal");
const shared = new ModelThreads(2);
let recognizers = 0;

async function load(
  change: Partial<ToneRecognizerOptions> = {},
  threads = shared,
  keyterms: readonly string[] = [],
): Promise<Recognizer> {
  const folder = join(directory, `ear-${recognizers++}`);
  mkdirSync(folder);
  writeToneRecognizer(folder, change);
  const files = [
    "  graph: { path: model.onnx }",
    "  tokens: { path: tokens.txt }",
    ...(change.words ? ["  words: { path: words.bin }"] : []),
  ];
  const yaml = [
    "name: tones",
    "task: listen",
    "engine: ctc",
    "licence: CC0-1.0",
    "languages: [en]",
    "maxBatch: 8",
    "files:",
    ...files,
  ];
  writeFileSync(join(folder, "model.yaml"), `${yaml.join("\n")}\n`);
  return await CtcEngine.load({ model: await readModelFolder(folder), threads, providers: ["cpu"], keyterms, log });
}

afterAll(async () => {
  await shared.close();
  rmSync(directory, { recursive: true });
});

const speech = async () =>
  [toneAudio(tonesOf("bad cab")), toneAudio(tonesOf("go a mile").filter((tone) => tone >= 0))] as const;
recognizerConformance("ctc with letters in zipformer's form", { task: "transcribe", load: () => load(), speech });
recognizerConformance("ctc with letters in NeMo's form", {
  task: "transcribe",
  load: () => load({ layout: "nemo_ctc" }),
  speech,
});
recognizerConformance("ctc with letters, of a graph that takes samples", {
  task: "transcribe",
  load: () => load({ layout: "waveform_ctc" }),
  speech,
});
recognizerConformance("ctc with a lexicon", {
  task: "transcribe",
  load: () => load({ symbols: toneLexicon.symbols, words: toneLexicon.model }),
  speech: async () => [toneAudio(toneLexicon.say("to", "me")), toneAudio(toneLexicon.say("two", "men", "to", "me"))],
});

const toneSounds = (...sounds: string[]): number[] => sounds.map((sound) => toneLexicon.symbols.indexOf(sound));

const recognizedBy = async (engine: Recognizer, tones: readonly number[]): Promise<string> =>
  wordsOf(await recognizeOne(engine, toneAudio(tones)))
    .map(({ text }) => text)
    .join(" ");

describe("the engine ctc", () => {
  it.each<[string, Partial<ToneRecognizerOptions>]>([
    ["log probabilities in zipformer's form", {}],
    ["raw scores in zipformer's form", { normalized: false }],
    ["log probabilities in NeMo's form", { layout: "nemo_ctc" }],
    ["raw scores in NeMo's form", { layout: "nemo_ctc", normalized: false }],
    ["log probabilities from samples", { layout: "waveform_ctc" }],
    ["raw scores from samples", { layout: "waveform_ctc", normalized: false }],
  ])("reads words off letters: %s", async (_what, change) => {
    expect(await recognizedBy(await load(change), tonesOf("bead cling john"))).toBe("bead cling john");
  });

  it("takes bands as they are where NeMo's metadata says so", async () => {
    // Tones outdo silence by far more when bands are not normalized: the graph's threshold is passed by everything.
    const plain = await recognizedBy(
      await load({ layout: "nemo_ctc", metadata: { normalize_type: "NA" } }),
      tonesOf("bead cling"),
    );
    const normalized = await recognizedBy(
      await load({ layout: "nemo_ctc", metadata: { normalize_type: "per_feature" } }),
      tonesOf("bead cling"),
    );
    expect(normalized).toBe("bead cling");
    expect(plain).not.toBe(normalized);
  });

  it("puts pieces of words together, in small letters where there are only capitals", async () => {
    const symbols = ["\u2581THE", "\u2581SO", "UND", "\u2581WA", "VES", "'S", "<unk>", "\u2581"];
    expect(await recognizedBy(await load({ symbols }), [0, 1, 2, 5, 6, 3, 4])).toBe("the sound's waves");
  });

  it("keeps capitals where there are small letters too, and takes each symbol for a word where none begins one", async () => {
    expect(await recognizedBy(await load({ symbols: ["\u2581Hi", "\u2581Mr", ".", "\u2581Fox"] }), [0, 1, 2, 3])).toBe(
      "Hi Mr. Fox",
    );
    expect(await recognizedBy(await load({ symbols: ["你", "好", "吗"] }), [0, 1, 2])).toBe("你 好 吗");
  });

  it.each<ToneRecognizerOptions["layout"]>([
    "zipformer_ctc",
    "waveform_ctc",
  ])("chooses among words that sound alike by the words before them, and times them: %s", async (layout) => {
    const engine = await load({ symbols: toneLexicon.symbols, words: toneLexicon.model, layout });
    const words = wordsOf(await recognizeOne(engine, toneAudio(toneLexicon.say("to", "me", "two", "men"))));
    expect(words.map(({ text }) => text)).toEqual(["to", "me", "two", "men"]);
    // The first tone begins at 300 ms; each has 200 ms.
    expect(Math.abs((words[0]?.startMs ?? 0) - 300)).toBeLessThan(80);
    expect(Math.abs((words[3]?.endMs ?? 0) - (300 + 9 * 200 - 80))).toBeLessThan(120);
  });

  it("finds the words of the deployment and of the caller, in the pieces that they belong to", async () => {
    const tiny = toneSounds("t", "iy", "n", "iy");
    const meany = toneSounds("m", "iy", "n", "iy");
    const audio = toneAudio([...toneLexicon.say("to"), ...tiny, ...meany, ...toneLexicon.say("me")]);
    const engine = await load({ symbols: toneLexicon.symbols, words: toneLexicon.model }, shared, ["Teeny"]);
    const lists = [[], ["Meany"], []];
    const results = await engine.recognize(lists.map((keyterms) => recognitionJob("transcribe", audio, { keyterms })));
    const texts = results.map((result) => wordsOf(result).map(({ text }) => text));
    expect(texts[1]).toEqual(["to", "Teeny", "Meany", "me"]);
    expect(texts[0]).not.toContain("Meany");
    expect(texts[2]).toEqual(texts[0]);
    const ofDeployment = [...toneLexicon.say("to"), ...tiny, ...toneLexicon.say("me")];
    expect(await recognizedBy(engine, ofDeployment)).toBe("to Teeny me");
    const plain = await load({ symbols: toneLexicon.symbols, words: toneLexicon.model });
    expect(await recognizedBy(plain, ofDeployment)).not.toContain("Teeny");
  });

  it("takes short batches on the processor, where one thread hears a batch piece after piece", async () => {
    expect((await load()).describe()).toMatchObject({ name: "tones", provider: "cpu", maxBatch: 4 });
  });

  it("says which languages it hears, and refuses others for good", async () => {
    const engine = await load();
    const audio = toneAudio(tonesOf("ab"));
    const results = await engine.recognize(
      ["en-GB", "de"].map((language) => recognitionJob("transcribe", audio, { language })),
    );
    expect(results[0]).toMatchObject({ result: "recognized", language: "en" });
    expect(results[1]).toMatchObject({ result: "failed", retryable: false, error: { code: "unsupported_language" } });
  });

  it("fails, to be tried elsewhere, when its threads are gone", async () => {
    const threads = new ModelThreads(1);
    const engine = await load({}, threads);
    const audio = toneAudio(tonesOf("abc"));
    const [running, waiting] = [recognizeOne(engine, audio), recognizeOne(engine, audio)];
    await threads.close();
    expect([await running, await waiting].every(({ result }) => result === "recognized" || result === "failed")).toBe(
      true,
    );
    expect(await recognizeOne(engine, audio)).toMatchObject({ result: "failed", retryable: true });
  });
});
