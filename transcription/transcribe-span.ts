import { transcriptionModel } from "#protocol/transcription/request";
import { spanNowMs, type Tracing } from "#common/tracing/span";
import { childOf, formatTraceparent, type TraceContext } from "#common/tracing/traceparent";
import type { RequestOutcome } from "#common/metrics/outcome";

/** The span of one transcription, part of its exchange's. */
export interface TranscribeSpan {
  /** Goes with the pieces: their spans in the scheduler and the worker are part of this one. */
  traceparent: string;
  finish(facts: { outcome: RequestOutcome; audioMs: number }): void;
}

/** Begins the span inside `trace`. Without tracing there is none, and the pieces carry `trace` itself. */
export function beginTranscribeSpan(tracing: Tracing, trace: TraceContext): TranscribeSpan {
  const traceparent = formatTraceparent(trace);
  const context = tracing.enabled ? childOf(traceparent) : null;
  if (context === null) return { traceparent, finish: () => undefined };
  const startMs = spanNowMs();
  return {
    traceparent: formatTraceparent(context),
    finish: ({ outcome, audioMs }) =>
      tracing.record({
        name: "transcribe",
        kind: "internal",
        context,
        startMs,
        endMs: spanNowMs(),
        failed: outcome === "failed",
        attributes: { "parley.outcome": outcome, "parley.model": transcriptionModel, "parley.audio_ms": audioMs },
      }),
  };
}
