import { spanNowMs, type Tracing } from "#common/tracing/span";
import { childOf, formatTraceparent } from "#common/tracing/traceparent";
import type { RequestOutcome } from "#common/metrics/outcome";

/** The span of one spoken request, part of its exchange's or connection's. */
export interface SpeakSpan {
  /** Goes with the chunks: their spans in the scheduler and the worker are part of this one. */
  traceparent: string;
  finish(facts: {
    outcome: RequestOutcome;
    model: string;
    characters: number;
    audioMs: number;
    firstAudioMs: number | null;
  }): void;
}

/**
 * Begins the span inside the one that `traceparent` names. Without tracing there is none, and the chunks carry
 * `traceparent` itself.
 */
export function beginSpeakSpan(tracing: Tracing, traceparent: string): SpeakSpan {
  const context = tracing.enabled ? childOf(traceparent) : null;
  if (context === null) return { traceparent, finish: () => undefined };
  const startMs = spanNowMs();
  return {
    traceparent: formatTraceparent(context),
    finish: ({ outcome, model, characters, audioMs, firstAudioMs }) =>
      tracing.record({
        name: "speak",
        kind: "internal",
        context,
        startMs,
        endMs: spanNowMs(),
        failed: outcome === "failed",
        attributes: {
          "parley.outcome": outcome,
          "parley.model": model,
          "parley.characters": characters,
          "parley.audio_ms": audioMs,
          ...(firstAudioMs === null ? {} : { "parley.first_audio_ms": firstAudioMs }),
        },
      }),
  };
}
