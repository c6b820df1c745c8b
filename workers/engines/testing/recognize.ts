import {
  RECOGNITION_RATE,
  type RecognizedWord,
  type AudioChunk,
  type RecognitionTask,
} from "#protocol/transcription/chunk";
import type { Recognizer, RecognitionJob, RecognitionResult } from "../recognizer.js";

/** A job for tests: nobody stops it unless a signal is given. */
export function recognitionJob(
  task: RecognitionTask,
  samples: Int16Array,
  change: { language?: string; signal?: AbortSignal; keyterms?: readonly string[] } = {},
): RecognitionJob {
  const chunk: AudioChunk = {
    task,
    streamId: "stream",
    chunkIndex: 0,
    attempt: 1,
    ownerId: "edge",
    model: "model",
    samples: samples.length,
    language: change.language ?? null,
    traceparent: null,
    ...(change.keyterms === undefined ? {} : { keyterms: change.keyterms }),
  };
  return { chunk, samples, signal: change.signal ?? new AbortController().signal };
}

/** Recognizes one piece. */
export async function recognizeOne(engine: Recognizer, samples: Int16Array): Promise<RecognitionResult> {
  const { task } = engine.describe();
  const [result] = await engine.recognize([recognitionJob(task === "vad" ? "vad" : "transcribe", samples)]);
  if (result === undefined) throw new RangeError("a job without a result");
  return result;
}

/** The words of a result; throws for any other. */
export function wordsOf(result: RecognitionResult): RecognizedWord[] {
  if (result.result !== "recognized")
    throw new RangeError(`${result.result}, not recognized: ${"error" in result ? String(result.error) : ""}`);
  return result.words;
}

export const silence = (seconds: number): Int16Array => new Int16Array(seconds * RECOGNITION_RATE);

/** Gaussian noise, the same each time; `colour` 0 is white, towards 1 the low frequencies prevail. */
export function noise(seconds: number, rms: number, colour: number): Int16Array {
  let state = 1;
  let held = 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / 4_294_967_297;
  };
  const scale = rms * Math.sqrt(1 - colour * colour);
  return Int16Array.from({ length: seconds * RECOGNITION_RATE }, () => {
    held = colour * held + scale * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    return Math.max(-32_768, Math.min(32_767, Math.round(held)));
  });
}
