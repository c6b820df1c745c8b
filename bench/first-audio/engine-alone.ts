import { fileURLToPath } from "node:url";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { neutralDelivery, type SpeechChunk } from "#protocol/speech/chunk";
import { Phonemizer } from "#workers/engines/espeak/phonemizer";
import { ModelThreads } from "#workers/engines/model-threads";
import { OnnxEngine } from "#workers/engines/onnx/engine";
import { SessionPool } from "#workers/engines/onnx/session-pool";
import { readModelFolder } from "#workers/repository/folder";
import { firstAudible } from "../audible.js";

/** `dist/bench/first-audio` → the model that speaks English by default. */
const folder = fileURLToPath(new URL("../../../models/parley-en", import.meta.url));

/** The worker's engine without a cluster around it. */
export interface EngineAlone {
  /** Speaks the text; gives the time to the piece with the first audible sample, and the length of the sound. */
  speak(text: string): Promise<{ firstAudibleMs: number; soundMs: number; leadingMs: number }>;
  close(): Promise<void>;
}

/** Loads and warms the engine as a worker with one slot does. */
export async function loadEngineAlone(): Promise<EngineAlone> {
  const log = createLogger("bench", "warn");
  const threads = new ModelThreads(1);
  const phonemizer = new Phonemizer({ log, clock: systemClock });
  const engine = await OnnxEngine.load({ model: await readModelFolder(folder), pool: new SessionPool(threads), phonemizer, providers: ["cpu"], log });
  await engine.warmUp();
  const { sampleRate } = engine.describe();
  return {
    async speak(text) {
      let firstAudibleMs = Number.NaN;
      let leadingMs = 0;
      let samplesSoFar = 0;
      const startMs = performance.now();
      const [result] = await engine.speak([
        {
          chunk: chunkOf(text),
          signal: new AbortController().signal,
          emit: ({ samples }) => {
            const onset = Number.isNaN(firstAudibleMs) ? firstAudible(samples) : -1;
            if (onset >= 0) {
              firstAudibleMs = performance.now() - startMs;
              leadingMs = ((samplesSoFar + onset) / sampleRate) * 1000;
            }
            samplesSoFar += samples.length;
          },
        },
      ]);
      if (result?.result !== "spoken") throw new Error(`the engine alone did not speak: ${JSON.stringify(result)}`);
      return { firstAudibleMs, leadingMs, soundMs: (samplesSoFar / sampleRate) * 1000 };
    },
    async close() {
      await Promise.all([engine.close(), threads.close(), phonemizer.close()]);
    },
  };
}

/** What the edge makes of the text with the request's defaults. */
function chunkOf(text: string): SpeechChunk {
  return {
    task: "speak",
    streamId: "bench",
    chunkIndex: 0,
    attempt: 1,
    edgeId: "bench",
    model: "parley-en",
    text,
    normalize: true,
    voice: { speaker: null, language: null, speed: 1, traits: null },
    delivery: neutralDelivery,
    pauseAfterMs: 0,
    seed: 1,
    maxSamples: 0,
    traceparent: null,
  };
}
