import { type ChunkOutcome, workSize } from "#protocol/bus/scheduling";
import { type VadChunk, type RecognizedChunk, ownerRecognitionSubject } from "#protocol/bus/recognition";
import { ServiceError } from "#protocol/errors";
import type { AudioChunk } from "#protocol/transcription/chunk";
import type { Recognizer, RecognitionJob, RecognitionResult } from "../engines/recognizer.js";
import type { BatchContext } from "./batch-context.js";
import { chunkFailed, missingModel } from "./chunk-failure.js";
import { fetchAudio } from "./fetch-audio.js";

interface HeldChunk {
  chunk: AudioChunk;
  queuedUs: number;
  signal: AbortSignal;
  done: () => void;
}

/**
 * Recognizes the chunks of a batch: asks their owners for the samples, all at once, and sends each its result. Gives
 * the outcomes in the chunks' order; never rejects.
 */
export async function recognizeChunks(
  model: string,
  chunks: { chunk: AudioChunk; queuedUs: number }[],
  context: BatchContext,
): Promise<ChunkOutcome[]> {
  if (chunks.length === 0) return [];
  const { bus, clock, running, telemetry } = context;
  const engine = context.recognizerOf(model);
  const held = chunks.map(({ chunk, queuedUs }): HeldChunk => ({ chunk, queuedUs, ...running.add(chunk) }));
  const beganMs = clock.nowMs();
  const fetched = await Promise.all(
    held.map(({ chunk, signal }) => (engine === undefined ? missingModel(model) : fetchAudio(bus, chunk, signal))),
  );
  const fetchedMs = clock.nowMs();
  const jobs: RecognitionJob[] = [];
  const jobOf = fetched.map((one, i) => {
    const of = held[i];
    if (one.result !== "samples" || of === undefined) return -1;
    return jobs.push({ chunk: of.chunk, samples: one.samples, signal: of.signal }) - 1;
  });
  const results = engine === undefined || jobs.length === 0 ? [] : await recognizeSafely(engine, jobs);
  const engineUs = Math.round((clock.nowMs() - fetchedMs) * 1000);
  return held.map((one, i): ChunkOutcome => {
    one.done();
    const fetchedOne = fetched[i];
    const result =
      fetchedOne === undefined || fetchedOne.result === "samples"
        ? (results[jobOf[i] ?? -1] ?? noResult())
        : fetchedOne;
    report(one, result, engineUs, context);
    const { chunk } = one;
    const { streamId, chunkIndex, attempt } = chunk;
    const recognized = result.result === "recognized" || result.result === "vad";
    const outcome: ChunkOutcome = {
      streamId,
      chunkIndex,
      attempt,
      result: recognized ? "recognized" : result.result,
      size: workSize(chunk),
      engineUs,
      samples: recognized ? chunk.samples : 0,
    };
    telemetry.audioDone(chunk, outcome, Math.round((fetchedMs - beganMs) * 1000));
    return outcome;
  });
}

function report(
  { chunk, queuedUs }: HeldChunk,
  result: RecognitionResult,
  engineUs: number,
  { bus, log, workerId }: BatchContext,
): void {
  const subject = ownerRecognitionSubject(chunk.ownerId);
  const { streamId, chunkIndex, attempt } = chunk;
  const about = { streamId, chunkIndex, attempt, workerId, timing: { queuedUs: Math.round(queuedUs), engineUs } };
  if (result.result === "recognized") {
    bus.publish(subject, {
      ...about,
      type: "recognized",
      language: result.language,
      words: result.words,
    } satisfies RecognizedChunk);
  } else if (result.result === "vad") {
    bus.publish(subject, { ...about, type: "vad", speech: result.speech } satisfies VadChunk);
  } else if (result.result === "failed") {
    bus.publish(subject, chunkFailed(chunk, result, log));
  }
}

function noResult(): RecognitionResult {
  return { result: "failed", error: new ServiceError("engine_failed"), retryable: true };
}

/** Engines never reject by contract; one that does must still not cost the batch its answer. */
async function recognizeSafely(engine: Recognizer, jobs: RecognitionJob[]): Promise<RecognitionResult[]> {
  try {
    return await engine.recognize(jobs);
  } catch (error) {
    return jobs.map(() => ({ result: "failed", error, retryable: true }));
  }
}
