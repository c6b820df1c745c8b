import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PROMPT_RATE } from "#protocol/bus/voice-prompts";
import { ServiceError } from "#protocol/errors";
import type { SpeechChunk } from "#protocol/speech/chunk";
import { speechLike } from "#audio/testing/speech-like";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { openRepository } from "../../repository/repository.js";
import { readModelFolder } from "../../repository/folder.js";
import type { ChunkResult, SpeechEngine } from "../engine.js";
import { loadEngines } from "../load.js";
import { ModelThreads } from "../model-threads.js";
import { medianPitchHz } from "../testing/pitch.js";
import { speakOne, testChunk } from "../testing/speak.js";
import { speechEngineConformance } from "../testing/suite.js";
import { PocketEngine } from "./engine.js";
import { type TonePocketOptions, writeTonePocket } from "./testing/tone-pocket.js";

const directory = mkdtempSync(join(tmpdir(), "parley-pocket-"));
const log = createLogger("test", "fatal");
let folders = 0;

afterAll(() => rmSync(directory, { recursive: true }));

async function load(change: Partial<TonePocketOptions> = {}): Promise<SpeechEngine> {
  const folder = join(directory, `pocket-${folders++}`);
  writeTonePocket(folder, change);
  const threads = new ModelThreads(2);
  try {
    const engine = await PocketEngine.load({ model: await readModelFolder(folder), threads, providers: ["cpu"], log });
    return {
      describe: () => engine.describe(),
      warmUp: () => engine.warmUp(),
      speak: (jobs) => engine.speak(jobs),
      close: () => threads.close(),
    };
  } catch (error) {
    await threads.close();
    throw error;
  }
}

speechEngineConformance("pocket", { load: () => load(), speaker: "loona", whispers: true });

describe("the pocket engine", () => {
  const text = "Nobody knows where it is going.";
  const voiceOf = (pitchHz: number): Int16Array =>
    speechLike({ pitchHz, swingSemitones: 2, syllablesPerSecond: 4, seconds: 4, sampleRate: PROMPT_RATE });

  /** Speaks with a recording, which is fetched as a worker fetches it. */
  async function speakWith(
    engine: SpeechEngine,
    id: string,
    prompt: () => Promise<Int16Array>,
    change: Partial<SpeechChunk["voice"]> = {},
  ): Promise<{ result: ChunkResult | undefined; samples: Int16Array }> {
    const pieces: Int16Array[] = [];
    const chunk = testChunk(text, { voice: { prompt: { source: "stream", id }, ...change } });
    const emit = ({ samples }: { samples: Int16Array }): void => void pieces.push(samples);
    const [result] = await engine.speak([{ chunk, signal: new AbortController().signal, emit, prompt }]);
    return { result, samples: Int16Array.from(pieces.flatMap((piece) => [...piece])) };
  }

  it("speaks in the voice of a chunk's recording, which it fetches once", async () => {
    const engine = await load();
    try {
      const fetched: string[] = [];
      const speakAs = async (id: string, pitchHz: number): Promise<Int16Array> => {
        const spoken = await speakWith(engine, id, async () => {
          fetched.push(id);
          return voiceOf(pitchHz);
        });
        expect(spoken.result).toEqual({ result: "spoken", samples: spoken.samples.length });
        return spoken.samples;
      };
      const low = await speakAs("low", 90);
      const high = await speakAs("high", 240);
      expect(await speakAs("low", 90)).toEqual(low);
      const pitch = (samples: Int16Array): number => medianPitchHz(samples, PROMPT_RATE) ?? Number.NaN;
      expect(pitch(high) / pitch(low)).toBeGreaterThan(1.2);
      expect(fetched).toEqual(["low", "high"]);
    } finally {
      await engine.close();
    }
  });

  it("takes nothing else of a cloned voice than its recording, save who is named", async () => {
    const engine = await load();
    try {
      const traits = { pitchHz: 240, pitchRangeSemitones: 4, syllablesPerSecond: 7, spectralTiltDbPerOctave: -3 };
      const plain = await speakWith(engine, "low", async () => voiceOf(90));
      const measured = await speakWith(engine, "low", async () => voiceOf(90), { traits });
      expect(measured.samples).toEqual(plain.samples);
      const named = await speakWith(engine, "low", async () => voiceOf(90), { speaker: "loona" });
      expect(named.samples).toEqual((await speakOne(engine, testChunk(text, { voice: { speaker: "loona" } }))).samples);
    } finally {
      await engine.close();
    }
  });

  it("gives the error of a recording that cannot be fetched, and asks again the next time", async () => {
    const engine = await load();
    try {
      const error = new ServiceError("dependency_unavailable", { parameters: { dependency: "The voice library" } });
      const failed = await speakWith(engine, "late", () => Promise.reject(error));
      expect(failed.result).toEqual({ result: "failed", error, retryable: true });
      expect((await speakWith(engine, "late", async () => voiceOf(150))).result?.result).toBe("spoken");
      const gone = await speakWith(engine, "gone", () => Promise.reject(new ServiceError("unknown_reference")));
      expect(gone.result).toMatchObject({ result: "failed", retryable: false });
    } finally {
      await engine.close();
    }
  });

  it("gives audio while the rest is made, and holds it back only to change it", async () => {
    const engine = await load();
    try {
      const parts = async (change: Parameters<typeof testChunk>[1]): Promise<number> =>
        (await speakOne(engine, testChunk(text, change))).pieces;
      expect(await parts({})).toBeGreaterThan(4);
      expect(await parts({ voice: { speed: 1.3 } })).toBeLessThan(4);
    } finally {
      await engine.close();
    }
  });

  it("cuts a text that the model does not end", async () => {
    const engine = await load({ ends: false });
    try {
      const { result, samples } = await speakOne(engine, testChunk(text));
      expect(result.result).toBe("spoken");
      // Six words, and two seconds more.
      expect(samples.length / PROMPT_RATE).toBeGreaterThan(4);
      expect(samples.length / PROMPT_RATE).toBeLessThan(8.1);
    } finally {
      await engine.close();
    }
  });

  it("does not take silence for speech", async () => {
    const engine = await load({ sounds: false });
    try {
      const { result, samples } = await speakOne(engine, testChunk(text));
      expect(result).toMatchObject({ result: "failed", retryable: false, error: { code: "engine_failed" } });
      expect(samples.length).toBe(0);
    } finally {
      await engine.close();
    }
  });

  it.each<[what: string, spoil: (at: (name: string) => string) => void, reason: RegExp]>([
    ["a missing graph", (at) => rmSync(at("lm_flow.int8.onnx")), /no lm_flow\.onnx/],
    ["a missing vocabulary", (at) => rmSync(at("vocab.json")), /no vocab\.json/],
    ["a graph that is none", (at) => writeFileSync(at("encoder.onnx"), "no graph"), /encoder\.onnx cannot be loaded/],
    [
      "graphs that were mixed up",
      (at) => copyFileSync(at("decoder.int8.onnx"), at("lm_main.int8.onnx")),
      /lm_main\.int8\.onnx lacks the input sequence/,
    ],
    [
      "an output under another name",
      (at) => replaceIn(at("decoder.int8.onnx"), "out_state_2", "out_state_x"),
      /decoder\.int8\.onnx lacks the output out_state_2/,
    ],
    [
      "a piece without a score",
      (at) => replaceIn(at("token_scores.json"), '"q"', '"qq"'),
      /token_scores\.json lacks "q"/,
    ],
    ["a vocabulary that cannot spell", (at) => removeSpelling(at), /vocab\.json has neither <unk>/],
    ["no recordings", (at) => rmSync(at("test_wavs"), { recursive: true }), /no wav in voices/],
    [
      "a recording that is none",
      (at) => writeFileSync(at("test_wavs/bria.wav"), "RIFF, but no more"),
      /bria\.wav cannot be read/,
    ],
  ])("refuses a folder with %s, and names the file", async (_what, spoil, reason) => {
    const root = mkdtempSync(join(directory, "spoiled-"));
    writeTonePocket(join(root, "pocket"));
    spoil((name) => join(root, "pocket", name));
    const options = { slots: 1, providers: ["cpu"], log, clock: systemClock };
    const loaded = await loadEngines(await openRepository([root], []), options);
    await loaded.close();
    expect(loaded.broken).toEqual([{ name: "pocket", reason: expect.stringMatching(reason) }]);
  });

  it("is loaded from a bare folder, and says that it clones voices", async () => {
    const root = mkdtempSync(join(directory, "root-"));
    writeTonePocket(join(root, "pocket-tts"));
    const options = { slots: 1, providers: ["cpu"], log, clock: systemClock };
    const loaded = await loadEngines(await openRepository([root], []), options);
    try {
      expect(loaded.broken).toEqual([]);
      expect(loaded.engines.get("pocket-tts")?.describe()).toEqual({
        ...{ name: "pocket-tts", task: "speak", languages: ["en"], sampleRate: 24_000, maxBatch: 1, provider: "cpu" },
        ...{ speakers: ["bria", "loona"], clonesVoices: true },
      });
    } finally {
      await loaded.close();
    }
  });
});

function replaceIn(path: string, from: string, to: string): void {
  writeFileSync(path, Buffer.from(readFileSync(path).toString("latin1").replaceAll(from, to), "latin1"));
}

function removeSpelling(at: (name: string) => string): void {
  for (const name of ["vocab.json", "token_scores.json"]) {
    replaceIn(at(name), "<0x41>", "<0xXX>");
    replaceIn(at(name), "<unk>", "<none>");
  }
}
