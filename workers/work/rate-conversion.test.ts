import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type AudioFrame, ownerAudioSubject } from "#protocol/bus/audio";
import type { SpeechChunk } from "#protocol/speech/chunk";
import { bytesToSamples } from "#audio/pcm";
import type { Bus } from "#common/bus/bus";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { Phonemizer } from "../engines/espeak/phonemizer.js";
import { ModelThreads } from "../engines/model-threads.js";
import { OnnxEngine } from "../engines/onnx/engine.js";
import { SessionPool } from "../engines/onnx/session-pool.js";
import { writeToneVoice } from "../engines/onnx/testing/tone-voice.js";
import { medianPitchHz } from "../engines/testing/pitch.js";
import { testChunk } from "../engines/testing/speak.js";
import { readModelFolder } from "../repository/folder.js";
import { RunningChunks } from "./running.js";
import { speakChunks } from "./speak-chunks.js";

const folder = mkdtempSync(join(tmpdir(), "parley-rate-"));
const log = createLogger("test", "fatal");
const phonemizer = new Phonemizer({ log, clock: systemClock });
const threads = new ModelThreads(1);

afterAll(async () => {
  await Promise.all([threads.close(), phonemizer.close()]);
  rmSync(folder, { recursive: true });
});

it("gives a chunk's audio at its stream's rate, the same in every attempt, words and limit too", async () => {
  writeToneVoice(folder, "tone");
  const pool = new SessionPool(threads);
  const model = await readModelFolder(folder);
  const engine = await OnnxEngine.load({ model, pool, phonemizer, providers: ["cpu"], log });

  async function speak(change: Partial<Pick<SpeechChunk, "sampleRate" | "maxSamples">>): Promise<AudioFrame[]> {
    const frames: AudioFrame[] = [];
    const publish = (subject: string, message: object): void => {
      if (subject === ownerAudioSubject("edge")) frames.push(message as AudioFrame);
    };
    const [outcome] = await speakChunks(
      { model: "tone" },
      [{ chunk: testChunk("Nobody knows where it is going.", change), queuedUs: 0 }],
      {
        ...{
          bus: { publish } as Bus,
          clock: systemClock,
          log,
          workerId: "w",
          epoch: "e",
          running: new RunningChunks(),
        },
        telemetry: { chunkDone: () => undefined, audioDone: () => undefined },
        ...{ speakerOf: () => engine, recognizerOf: () => undefined },
      },
    );
    expect(outcome?.result).toBe("spoken");
    expect(frames.at(-1)?.last).toBe(true);
    return frames;
  }
  const samplesOf = (frames: AudioFrame[]): Int16Array =>
    Int16Array.from(frames.flatMap(({ pcm }) => [...bytesToSamples(pcm)]));
  const endMs = (frames: AudioFrame[]): number => frames.flatMap(({ words }) => words).at(-1)?.endMs ?? 0;

  const own = await speak({});
  const [samples, ownSamples] = [samplesOf(await speak({ sampleRate: 24_000 })), samplesOf(own)];
  expect(own.every(({ sampleRate }) => sampleRate === 22_050)).toBe(true);
  expect(samples.length).toBe(Math.ceil((ownSamples.length * 24_000) / 22_050));
  expect(medianPitchHz(samples, 24_000)).toBeCloseTo(medianPitchHz(ownSamples, 22_050) ?? 0, -0.5);
  const again = await speak({ sampleRate: 24_000 });
  expect(samplesOf(again)).toEqual(samples);
  expect(again.every(({ sampleRate }) => sampleRate === 24_000)).toBe(true);
  expect(again.map(({ firstSample }) => firstSample)).toEqual(
    again.map((_, i) => again.slice(0, i).reduce((sum, { pcm }) => sum + pcm.length / 2, 0)),
  );
  expect(endMs(again)).toBe(endMs(own));
  expect(samplesOf(await speak({ sampleRate: 24_000, maxSamples: 2400 })).length).toBeCloseTo(2400, -1);
});
