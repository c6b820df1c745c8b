import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { readModelFolder } from "../../repository/folder.js";
import { openRepository } from "../../repository/repository.js";
import { medianPitchHz } from "../testing/pitch.js";
import { speakOne, testChunk } from "../testing/speak.js";
import { speechEngineConformance } from "../testing/suite.js";
import type { SpeechEngine } from "../engine.js";
import { Phonemizer } from "../espeak/phonemizer.js";
import { loadEngines } from "../load.js";
import { ModelThreads } from "../model-threads.js";
import { OnnxEngine } from "./engine.js";
import { kokoroSymbols } from "./layouts/kokoro-phonemes.js";
import { openKokoroLayout } from "./layouts/kokoro.js";
import { SessionPool } from "./session-pool.js";
import { npy, releasedStyles, writeReleasedToneKokoro, writeToneKokoro } from "./testing/tone-kokoro.js";

const directory = mkdtempSync(join(tmpdir(), "parley-kokoro-"));
const log = createLogger("test", "fatal");
const threads = new ModelThreads(2);
const phonemizer = new Phonemizer({ log, clock: systemClock });
let count = 0;

async function load(write: (folder: string) => void = writeToneKokoro): Promise<SpeechEngine> {
  const folder = join(directory, `voice-${count++}`);
  write(folder);
  return await OnnxEngine.load({
    model: await readModelFolder(folder),
    pool: new SessionPool(threads),
    phonemizer,
    providers: ["cpu"],
    log,
  });
}

afterAll(async () => {
  await threads.close();
  await phonemizer.close();
  rmSync(directory, { recursive: true });
});

speechEngineConformance("onnx with a Kokoro voice", { load: () => load(), speaker: "bf_tone", whispers: false });

describe("a Kokoro voice", () => {
  it("has the speakers whose language can be pronounced, and chooses by the text's language", async () => {
    const engine = await load();
    expect(engine.describe()).toMatchObject({
      sampleRate: 24_000,
      speakers: ["af_heart", "bf_tone", "ff_tone"],
      languages: ["en", "fr"],
      maxBatch: 1,
    });
    const pitch = async (language: string): Promise<number> =>
      medianPitchHz(
        (await speakOne(engine, testChunk("la la la la la la", { voice: { language } }))).samples,
        24_000,
      ) ?? 0;
    expect((await pitch("fr")) / (await pitch("en"))).toBeGreaterThan(1.3);
  });

  it("says the same out of kokoro-onnx's two files as out of Hugging Face's folder", async () => {
    const exported = await load();
    const released = await load((folder) => {
      writeReleasedToneKokoro(folder);
      for (const other of ["fp16", "fp16-gpu", "int8"])
        writeFileSync(join(folder, `kokoro-v1.0.${other}.onnx`), "not the best graph");
    });
    expect(released.describe()).toEqual({ ...exported.describe(), name: released.describe().name });
    const text = "The last of the guests, they say, went home at two?";
    for (const speaker of ["af_heart", "bf_tone"]) {
      const chunk = testChunk(text, { voice: { speaker } });
      const [one, other] = [await speakOne(exported, chunk), await speakOne(released, chunk)];
      expect(one.samples.length).toBeGreaterThan(24_000);
      expect(other.samples).toEqual(one.samples);
    }
  });

  it("takes the style for the number of symbols, the last where there are more", async () => {
    const folder = join(directory, "styles");
    writeToneKokoro(folder);
    const layout = await openKokoroLayout(await readModelFolder(folder), phonemizer);
    const styleOf = (speakerId: number, symbols: number): Float32Array | undefined => {
      const symbol = { symbol: "a", range: { start: 0, end: 1 } };
      const piece = { symbols: Array.from({ length: symbols }, () => symbol), ids: [], symbolOfId: [] };
      return layout.rowInputs([{ piece, speakerId }]).styles?.[0];
    };
    expect([...(styleOf(1, 17)?.subarray(0, 3) ?? [])]).toEqual([0.25, 17, 0]);
    expect(styleOf(1, 17)?.length).toBe(256);
    expect(styleOf(0, 4000)?.[1]).toBe(509);
  });

  it("spells espeak's phonemes in Kokoro's way, each at its place in the text", () => {
    const spelled = (ipa: string, accent: "american" | "british" | "other"): string =>
      kokoroSymbols(
        [...ipa].map((symbol, at) => ({ symbol, range: { start: at, end: at + 1 } })),
        accent,
      )
        .map(({ symbol }) => symbol)
        .join("");
    expect(spelled("həlˈoʊ wˈɜːld", "american")).toBe("həlˈO wˈɜɹld");
    expect(spelled("həlˈəʊ wˈɜːld", "british")).toBe("həlˈQ wˈɜːld");
    expect(spelled("dʒˈʌdʒ tʃˈeɪndʒ", "american")).toBe("ʤˈʌʤ ʧˈAnʤ");
    expect(spelled("bˈʌɾɚ", "american")).toBe("bˈʌTəɹ");
    expect([spelled("bˈʌtn\u0329", "american"), spelled("fˈɔːɹ", "american"), spelled("fˈɔː", "british")]).toEqual([
      "bˈʌtᵊn",
      "fˈɔɹ",
      "fˈɔː",
    ]);
    expect(spelled("bɔ̃ʒˈuʁ", "other")).toBe("bɔ̃ʒˈuʁ");
    const placed = kokoroSymbols(
      [..."aɪs"].map((symbol, at) => ({ symbol, range: { start: at, end: at + 1 } })),
      "american",
    );
    expect(placed).toEqual([
      { symbol: "I", range: { start: 0, end: 1 } },
      { symbol: "s", range: { start: 2, end: 3 } },
    ]);
  });
});

const edit = (file: string, change: (text: string) => string) => (folder: string) => {
  const path = join(folder, file);
  writeFileSync(path, Buffer.from(change(readFileSync(path, "latin1")), "latin1"));
};
const bad: [string, RegExp, (folder: string) => void][] = [
  ["no graph", /no onnx\/model\.onnx/, (folder) => rmSync(join(folder, "onnx/model.onnx"))],
  ["no tokenizer", /no tokenizer\.json/, (folder) => rmSync(join(folder, "tokenizer.json"))],
  ["another input", /lacks the input style/, edit("onnx/model.onnx", (text) => text.replaceAll("style", "stile"))],
  ["an unknown operator", /CumSam/, edit("onnx/model.onnx", (text) => text.replaceAll("CumSum", "CumSam"))],
  [
    "half a style",
    /af_heart\.bin has 1000 bytes/,
    (folder) => writeFileSync(join(folder, "voices/af_heart.bin"), new Uint8Array(1000)),
  ],
  [
    "no speaker that can be pronounced",
    /no speaker.*zf_tone/,
    (folder) => ["af_heart", "bf_tone", "ff_tone"].forEach((name) => rmSync(join(folder, "voices", `${name}.bin`))),
  ],
  ["no pad", /lacks "\$"/, edit("tokenizer.json", (text) => text.replace('"$":0,', ""))],
];

/** The archive as released, with what `change` makes of the usual speaker's array. */
const spoiled = (change: (styles: Uint8Array) => Uint8Array) => (folder: string) => {
  rmSync(folder, { recursive: true });
  writeReleasedToneKokoro(
    folder,
    releasedStyles().map(({ name, content }) => ({
      name,
      content: name === "af_heart.npy" ? change(content) : content,
    })),
  );
};
bad.push(
  ["a style cut off", /af_heart\.npy is cut off/, spoiled((styles) => styles.subarray(0, -3))],
  ["half a style in an archive", /af_heart of voices.* no multiple of 256/, spoiled(() => npy(new Float32Array(300)))],
  ["whole numbers", /no 32-bit floats/, spoiled(() => npy(new Float32Array(256), "<i4"))],
  ["no array", /af_heart\.npy is no array/, spoiled(() => new Uint8Array(40))],
  ["too large an array", /has 17\d+ bytes/, spoiled(() => new Uint8Array(17 * 1024 ** 2))],
  [
    "no archive",
    /no \.npz file/,
    (folder) => {
      spoiled((styles) => styles)(folder);
      writeFileSync(join(folder, "voices-v1.0.bin"), "no archive");
    },
  ],
  [
    "no archive beside the graph",
    /holds kokoro-v1\.0\.onnx, but no voices-v1\.0\.bin/,
    (folder) => {
      spoiled((styles) => styles)(folder);
      rmSync(join(folder, "voices-v1.0.bin"));
    },
  ],
);

describe("Kokoro folders that cannot be served", () => {
  it("are reported with their reasons, and the others serve", { timeout: 60_000 }, async () => {
    const root = join(directory, "root");
    writeToneKokoro(join(root, "good"));
    for (const [i, [, , spoil]] of bad.entries()) {
      writeToneKokoro(join(root, `bad-${i}`));
      spoil(join(root, `bad-${i}`));
    }
    const loaded = await loadEngines(await openRepository([root], []), {
      slots: 1,
      providers: ["cpu"],
      log: createLogger("test", "silent"),
      clock: systemClock,
    });
    try {
      expect([...loaded.engines.keys()]).toEqual(["good"]);
      for (const [i, [what, reason]] of bad.entries())
        expect(loaded.broken.find(({ name }) => name === `bad-${i}`)?.reason, what).toMatch(reason);
    } finally {
      await loaded.close();
    }
  });
});
