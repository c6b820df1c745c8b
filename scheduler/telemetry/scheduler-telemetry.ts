import type { Metrics } from "#common/metrics/registry";
import { spanNowMs, type Tracing } from "#common/tracing/span";
import { childOf, formatTraceparent } from "#common/tracing/traceparent";
import type { Batch, Verdict } from "#protocol/bus/scheduling";
import type { SchedulerEffect } from "../core/events.js";
import type { SchedulerCore } from "../core/scheduler-core.js";

/** Sees everything that a scheduler does. */
export interface SchedulerTelemetry {
  /**
   * Counts an effect and gives it as it is to be sent: with tracing, a batch's chunks name the span of their wait here.
   */
  effect(effect: SchedulerEffect): SchedulerEffect;
  /** An error that the scheduler survived. */
  fault(): void;
}

/** Opens the scheduler's metrics and spans. */
export function openSchedulerTelemetry(options: {
  metrics: Metrics;
  tracing: Tracing;
  core: Pick<SchedulerCore, "loads" | "pending">;
  nowMs: () => number;
  isConnected: () => boolean;
}): SchedulerTelemetry {
  const { metrics, tracing, core, nowMs } = options;
  const loads = () => core.loads(nowMs());
  const byModel = (read: (load: ReturnType<SchedulerCore["loads"]>[number]) => number) => () =>
    loads().map((load) => ({ labels: { model: load.model }, value: read(load) }));
  metrics.gauge("parley_bus_connected", () => Number(options.isConnected()));
  metrics.gauges(
    "parley_scheduler_queued_chunks",
    byModel((load) => load.queuedChunks),
  );
  metrics.gauges(
    "parley_scheduler_slots",
    byModel((load) => load.slots),
  );
  metrics.gauges(
    "parley_scheduler_free_slots",
    byModel((load) => load.freeSlots),
  );
  metrics.gauges(
    "parley_scheduler_predicted_wait_seconds",
    byModel((load) => load.predictedWaitMs / 1000),
  );
  metrics.gauge("parley_scheduler_running_batches", () => core.pending().runningBatches);
  const waited = metrics.histogram("parley_scheduler_queue_seconds");
  const batchChunks = metrics.histogram("parley_scheduler_batch_chunks");
  const verdicts = metrics.counter("parley_scheduler_verdicts_total");
  const faults = metrics.counter("parley_scheduler_faults_total");
  const countVerdict = (verdict: Verdict): void => verdicts({ verdict: verdict.type });
  const countBatch = ({ model, chunks }: Batch): void => {
    batchChunks({ model }, chunks.length);
    for (const { queuedUs } of chunks) waited({ model }, queuedUs / 1_000_000);
  };
  return {
    fault: () => faults({}),
    effect: (effect) => {
      if (effect.to === "edge") countVerdict(effect.message);
      if (effect.to !== "worker" || effect.message.type !== "batch") return effect;
      countBatch(effect.message);
      return tracing.enabled ? { ...effect, message: traceBatch(effect.message, tracing) } : effect;
    },
  };
}

function traceBatch(batch: Batch, tracing: Tracing): Batch {
  const endMs = spanNowMs();
  const chunks = batch.chunks.map(({ chunk, queuedUs }) => {
    const context = childOf(chunk.traceparent);
    if (context === null) return { chunk, queuedUs };
    tracing.record({
      name: "schedule chunk",
      kind: "consumer",
      context,
      startMs: endMs - queuedUs / 1000,
      endMs,
      failed: false,
      attributes: {
        "parley.outcome": "dispatched",
        "parley.model": chunk.model,
        "parley.chunk_index": chunk.chunkIndex,
        "parley.attempt": chunk.attempt,
        "parley.batch_size": batch.chunks.length,
      },
    });
    return { chunk: { ...chunk, traceparent: formatTraceparent(context) }, queuedUs };
  });
  return { ...batch, chunks };
}
