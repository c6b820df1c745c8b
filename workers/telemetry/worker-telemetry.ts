import type { Metrics } from "#common/metrics/registry";
import { spanNowMs, type Tracing } from "#common/tracing/span";
import { childOf } from "#common/tracing/traceparent";
import type { ChunkOutcome, WorkChunk } from "#protocol/bus/scheduling";
import { RECOGNITION_RATE, type AudioChunk } from "#protocol/transcription/chunk";
import type { SpeechChunk } from "#protocol/speech/chunk";

/** Sees every chunk that a worker is done with. */
export interface WorkerTelemetry {
  /** `sampleRate` is the engine's, Hz; 0 when there was none. */
  chunkDone(chunk: SpeechChunk, outcome: ChunkOutcome, sampleRate: number): void;
  /** A piece of audio; `fetchUs` is how long its samples were on their way. */
  audioDone(chunk: AudioChunk, outcome: ChunkOutcome, fetchUs: number): void;
}

/** Opens the worker's metrics and spans. */
export function openWorkerTelemetry(options: {
  metrics: Metrics;
  tracing: Tracing;
  workerId: string;
  slots: number;
  brokenModels: number;
  isConnected: () => boolean;
}): WorkerTelemetry {
  const { metrics, tracing, workerId } = options;
  metrics.gauge("parley_bus_connected", () => Number(options.isConnected()));
  metrics.gauge("parley_worker_slots", () => options.slots);
  metrics.gauge("parley_worker_broken_models", () => options.brokenModels);
  const chunks = metrics.counter("parley_worker_chunks_total");
  const engineSeconds = metrics.histogram("parley_worker_engine_seconds");
  const audio = metrics.counter("parley_worker_audio_seconds_total");
  const pieces = metrics.counter("parley_worker_recognized_chunks_total");
  const recognitionSeconds = metrics.histogram("parley_worker_recognition_seconds");
  const fetchSeconds = metrics.histogram("parley_worker_audio_fetch_seconds");
  const recognized = metrics.counter("parley_worker_recognized_audio_seconds_total");
  return {
    chunkDone: (chunk, outcome, sampleRate) => {
      const { model } = chunk;
      const audioMs = sampleRate === 0 ? 0 : (outcome.samples / sampleRate) * 1000;
      chunks({ model, outcome: outcome.result });
      engineSeconds({ model }, outcome.engineUs / 1_000_000);
      audio({ model }, audioMs / 1000);
      if (tracing.enabled) recordChunk(tracing, workerId, chunk, outcome, audioMs);
    },
    audioDone: (chunk, outcome, fetchUs) => {
      const { model } = chunk;
      const audioMs = (outcome.samples / RECOGNITION_RATE) * 1000;
      pieces({ model, outcome: outcome.result });
      recognitionSeconds({ model }, outcome.engineUs / 1_000_000);
      fetchSeconds({ model }, fetchUs / 1_000_000);
      recognized({ model }, audioMs / 1000);
      if (tracing.enabled) recordChunk(tracing, workerId, chunk, outcome, audioMs);
    },
  };
}

function recordChunk(
  tracing: Tracing,
  workerId: string,
  chunk: WorkChunk,
  outcome: ChunkOutcome,
  audioMs: number,
): void {
  const context = childOf(chunk.traceparent);
  if (context === null) return;
  const endMs = spanNowMs();
  tracing.record({
    name: chunk.task === "speak" ? "speak chunk" : "recognize chunk",
    kind: "consumer",
    context,
    startMs: endMs - outcome.engineUs / 1000,
    endMs,
    failed: outcome.result === "failed",
    attributes: {
      "parley.outcome": outcome.result,
      "parley.model": chunk.model,
      "parley.chunk_index": chunk.chunkIndex,
      "parley.attempt": chunk.attempt,
      "parley.worker": workerId,
      ...(chunk.task === "speak" ? { "parley.characters": outcome.size } : {}),
      "parley.audio_ms": Math.round(audioMs),
    },
  });
}
