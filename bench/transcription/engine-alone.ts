import { join } from "node:path";
import { RECOGNITION_RATE, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import { createLogger } from "#common/log";
import { CtcEngine } from "#workers/engines/ctc/engine";
import { ModelThreads } from "#workers/engines/model-threads";
import { readModelFolder } from "#workers/repository/folder";
import type { RecognitionJob } from "#workers/engines/recognizer";

/** The worker's recognizer without a cluster around it. */
export interface RecognizerAlone {
  /**
   * Recognizes sounds in pieces of at most thirty seconds, `batch` pieces a call and a call per thread at once; gives
   * the words.
   */
  recognizeAll(recordings: readonly Int16Array[], batch: number): Promise<string[]>;
  close(): Promise<void>;
}

/** Loads and warms the recognizer that comes with Parley on `threads` threads. */
export async function loadRecognizerAlone(threads: number): Promise<RecognizerAlone> {
  const pool = new ModelThreads(threads);
  const model = await readModelFolder(join(import.meta.dirname, "../../../models/parley-asr-en"));
  const engine = await CtcEngine.load({ model, threads: pool, providers: ["cpu"], log: createLogger("bench", "warn") });
  await engine.warmUp();
  return {
    async recognizeAll(recordings, batch) {
      const jobs = recordings.flatMap(inPieces).map(jobOf);
      const words: string[] = [];
      const call = async (): Promise<void> => {
        for (let part = jobs.splice(0, batch); part.length > 0; part = jobs.splice(0, batch)) {
          for (const result of await engine.recognize(part)) {
            if (result.result !== "recognized")
              throw new Error(`the recognizer alone did not hear: ${JSON.stringify(result)}`);
            words.push(...result.words.map(({ text }) => text));
          }
        }
      };
      await Promise.all(Array.from({ length: threads }, call));
      return words;
    },
    async close() {
      await engine.close();
      await pool.close();
    },
  };
}

function inPieces(samples: Int16Array): Int16Array[] {
  const most = MAX_AUDIO_SECONDS * RECOGNITION_RATE;
  return Array.from({ length: Math.ceil(samples.length / most) }, (_, index) =>
    samples.subarray(index * most, (index + 1) * most),
  );
}

const jobOf = (samples: Int16Array, chunkIndex: number): RecognitionJob => ({
  samples,
  signal: new AbortController().signal,
  chunk: {
    task: "transcribe",
    streamId: "bench",
    chunkIndex,
    attempt: 1,
    ownerId: "bench",
    model: "parley-asr-en",
    samples: samples.length,
    language: null,
    traceparent: null,
  },
});
