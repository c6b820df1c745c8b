import type { ChunkFailed } from "#protocol/bus/audio";
import type { WorkChunk } from "#protocol/bus/scheduling";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { Logger } from "#common/log";

/** A job that came to nothing. */
export interface Failure {
  result: "failed";
  error: unknown;
  retryable: boolean;
}

/** Another worker may have the model: the scheduler's picture of this one was old. */
export function missingModel(model: string): Failure {
  return { result: "failed", error: new ServiceError("no_worker", { parameters: { model } }), retryable: true };
}

/** What is sent to the chunk's owner; the log gets the cause. */
export function chunkFailed(
  { streamId, chunkIndex, attempt }: WorkChunk,
  { error, retryable }: Failure,
  log: Logger,
): ChunkFailed {
  log.warn({ err: error, streamId, chunkIndex, retryable }, "a chunk failed");
  const shown = error instanceof ServiceError ? error : new ServiceError("engine_failed", { cause: error });
  return { type: "failed", streamId, chunkIndex, attempt, error: toErrorRecord(shown), retryable };
}
