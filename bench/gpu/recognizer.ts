import { join } from "node:path";
import { type AudioChunk, RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { createLogger } from "#common/log";
import { CtcEngine } from "#workers/engines/ctc/engine";
import { readClips } from "#workers/engines/ctc/testing/clips";
import { ModelThreads } from "#workers/engines/model-threads";
import { readModelFolder } from "#workers/repository/folder";
import { type BatchFigures, batchCurve } from "./measure.js";

/** `dist/bench/gpu` → the recognizer that English has. */
export const recognizerFolder = join(import.meta.dirname, "../../../models/parley-asr-en");

/** What a recognizer does with one execution provider. */
export interface RecognizerFigures {
  provider: string;
  curve: BatchFigures[];
}

/** Measures the recognizer on recordings of people, in this process and without a cluster. */
export async function measureRecognizer(
  provider: string,
  { sizes, forMs }: { sizes: readonly number[]; forMs: number },
): Promise<RecognizerFigures> {
  const threads = new ModelThreads(1);
  try {
    const engine = await CtcEngine.load({
      model: await readModelFolder(recognizerFolder),
      threads,
      providers: [provider],
      log: createLogger("bench", "warn"),
    });
    const opened = engine.describe().provider;
    if (opened !== provider) throw new Error(`the recognizer was opened with ${opened}, not with ${provider}`);
    await engine.warmUp();
    const clips = (await readClips()).map(({ samples }) => samples);
    const signal = new AbortController().signal;
    let next = 0;
    const curve = await batchCurve(sizes, forMs, async (batch) => {
      const jobs = Array.from({ length: batch }, () => {
        const samples = clips[next++ % clips.length] ?? new Int16Array(0);
        return { chunk: chunkOf(samples.length), samples, signal };
      });
      for (const result of await engine.recognize(jobs)) if (result.result === "failed") throw result.error;
      return jobs.reduce((sum, { samples }) => sum + samples.length, 0) / RECOGNITION_RATE;
    });
    await engine.close();
    return { provider, curve };
  } finally {
    await threads.close();
  }
}

const chunkOf = (samples: number): AudioChunk => ({
  task: "transcribe",
  streamId: "bench",
  chunkIndex: 0,
  attempt: 1,
  ownerId: "bench",
  model: "parley-asr-en",
  samples,
  language: "en",
  traceparent: null,
});
