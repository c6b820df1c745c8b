import { type ChunkFailed, edgeAudioSubject } from "#protocol/bus/audio";
import { type Batch, type BatchDone, type ChunkOutcome, schedulerDoneSubject } from "#protocol/bus/scheduling";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { ChunkJob, ChunkResult, SpeechEngine } from "../engines/engine.js";
import { FrameSender } from "./frame-sender.js";
import type { RunningChunks } from "./running.js";
import type { WorkerWatch } from "../watch/worker-watch.js";

/** What running a batch needs of its worker. */
export interface BatchContext {
  bus: Bus;
  clock: Clock;
  log: Logger;
  workerId: string;
  epoch: string;
  running: RunningChunks;
  watch: WorkerWatch;
  engineFor(model: string): SpeechEngine | undefined;
}

/** Speaks a batch: frames to the edges as they are made, then one `BatchDone` to the scheduler that sent it. Never rejects. */
export async function runBatch(batch: Batch, context: BatchContext): Promise<void> {
  const { bus, clock, log, workerId, epoch, running } = context;
  const engine = context.engineFor(batch.model);
  const sampleRate = engine?.describe().sampleRate ?? 0;
  const held = batch.chunks.map(({ chunk, queuedUs }) => {
    const sender = new FrameSender({ bus, clock, workerId, chunk, sampleRate, queuedUs });
    const { signal, done } = running.add(chunk);
    const job: ChunkJob = { chunk, signal, emit: (piece) => sender.send(piece) };
    return { chunk, sender, done, job };
  });
  const results =
    engine === undefined
      ? held.map(() => missingModel(batch.model))
      : await speakSafely(
          engine,
          held.map(({ job }) => job),
        );
  const outcomes = held.map(({ chunk, sender, done }, i): ChunkOutcome => {
    done();
    const result: ChunkResult = results[i] ?? { result: "failed", error: new ServiceError("engine_failed"), retryable: true };
    if (result.result === "spoken") sender.finish();
    else sender.discard();
    if (result.result === "failed") {
      log.warn({ err: result.error, streamId: chunk.streamId, chunkIndex: chunk.chunkIndex, retryable: result.retryable }, "a chunk failed");
      const failure = result.error instanceof ServiceError ? result.error : new ServiceError("engine_failed", { cause: result.error });
      const { streamId, chunkIndex, attempt } = chunk;
      const failed: ChunkFailed = { type: "failed", streamId, chunkIndex, attempt, error: toErrorRecord(failure), retryable: result.retryable };
      bus.publish(edgeAudioSubject(chunk.edgeId), failed);
    }
    const outcome: ChunkOutcome = {
      streamId: chunk.streamId,
      chunkIndex: chunk.chunkIndex,
      attempt: chunk.attempt,
      result: result.result,
      characters: chunk.text.length,
      engineUs: sender.elapsedUs,
      samples: result.result === "spoken" ? result.samples : 0,
    };
    context.watch.chunkDone(chunk, outcome, sampleRate);
    return outcome;
  });
  const done: BatchDone = { type: "done", workerId, epoch, batchId: batch.batchId, model: batch.model, outcomes };
  bus.publish(schedulerDoneSubject(batch.schedulerId), done);
}

/** Another worker may have the model: the scheduler's picture of this one was old. */
function missingModel(model: string): ChunkResult {
  return { result: "failed", error: new ServiceError("no_worker", { parameters: { model } }), retryable: true };
}

/** Engines never reject by contract; one that does must still not cost the batch its answer. */
async function speakSafely(engine: SpeechEngine, jobs: ChunkJob[]): Promise<ChunkResult[]> {
  try {
    return await engine.speak(jobs);
  } catch (error) {
    return jobs.map(() => ({ result: "failed", error, retryable: true }));
  }
}
