import { type ChunkOutcome, workSize } from "#protocol/bus/scheduling";
import { type DetectedChunk, type HeardChunk, ownerHeardSubject } from "#protocol/bus/recognition";
import { ServiceError } from "#protocol/errors";
import type { SoundChunk } from "#protocol/transcription/chunk";
import type { ListenEngine, SoundJob, SoundResult } from "../engines/recognizer.js";
import type { BatchContext } from "../work/batch-context.js";
import { chunkFailed, missingModel } from "../work/chunk-failure.js";
import { fetchSound } from "./fetch-audio.js";

interface HeldChunk {
  chunk: SoundChunk;
  queuedUs: number;
  signal: AbortSignal;
  done: () => void;
}

/**
 * Hears the chunks of a batch: asks their owners for the samples, all at once, and tells each what was heard. Gives the
 * outcomes in the chunks' order; never rejects.
 */
export async function hearChunks(
  model: string,
  chunks: { chunk: SoundChunk; queuedUs: number }[],
  context: BatchContext,
): Promise<ChunkOutcome[]> {
  if (chunks.length === 0) return [];
  const { bus, clock, running, watch } = context;
  const engine = context.listenerOf(model);
  const held = chunks.map(({ chunk, queuedUs }): HeldChunk => ({ chunk, queuedUs, ...running.add(chunk) }));
  const beganMs = clock.nowMs();
  const fetched = await Promise.all(
    held.map(({ chunk, signal }) => (engine === undefined ? missingModel(model) : fetchSound(bus, chunk, signal))),
  );
  const fetchedMs = clock.nowMs();
  const jobs: SoundJob[] = [];
  const jobOf = fetched.map((one, i) => {
    const of = held[i];
    if (one.result !== "samples" || of === undefined) return -1;
    return jobs.push({ chunk: of.chunk, samples: one.samples, signal: of.signal }) - 1;
  });
  const results = engine === undefined || jobs.length === 0 ? [] : await hearSafely(engine, jobs);
  const engineUs = Math.round((clock.nowMs() - fetchedMs) * 1000);
  return held.map((one, i): ChunkOutcome => {
    one.done();
    const fetchedOne = fetched[i];
    const result =
      fetchedOne === undefined || fetchedOne.result === "samples"
        ? (results[jobOf[i] ?? -1] ?? noResult())
        : fetchedOne;
    tell(one, result, engineUs, context);
    const { chunk } = one;
    const { streamId, chunkIndex, attempt } = chunk;
    const heard = result.result === "heard" || result.result === "detected";
    const outcome: ChunkOutcome = {
      streamId,
      chunkIndex,
      attempt,
      result: heard ? "heard" : result.result,
      size: workSize(chunk),
      engineUs,
      samples: heard ? chunk.samples : 0,
    };
    watch.soundDone(chunk, outcome, Math.round((fetchedMs - beganMs) * 1000));
    return outcome;
  });
}

function tell(
  { chunk, queuedUs }: HeldChunk,
  result: SoundResult,
  engineUs: number,
  { bus, log, workerId }: BatchContext,
): void {
  const subject = ownerHeardSubject(chunk.edgeId);
  const { streamId, chunkIndex, attempt } = chunk;
  const about = { streamId, chunkIndex, attempt, workerId, timing: { queuedUs: Math.round(queuedUs), engineUs } };
  if (result.result === "heard") {
    bus.publish(subject, {
      ...about,
      type: "heard",
      language: result.language,
      words: result.words,
    } satisfies HeardChunk);
  } else if (result.result === "detected") {
    bus.publish(subject, { ...about, type: "detected", speech: result.speech } satisfies DetectedChunk);
  } else if (result.result === "failed") {
    bus.publish(subject, chunkFailed(chunk, result, log));
  }
}

function noResult(): SoundResult {
  return { result: "failed", error: new ServiceError("engine_failed"), retryable: true };
}

/** Engines never reject by contract; one that does must still not cost the batch its answer. */
async function hearSafely(engine: ListenEngine, jobs: SoundJob[]): Promise<SoundResult[]> {
  try {
    return await engine.hear(jobs);
  } catch (error) {
    return jobs.map(() => ({ result: "failed", error, retryable: true }));
  }
}
