import type { UsageRecord } from "#protocol/bus/control";
import { transcriptionModel } from "#protocol/transcription/request";
import { newIdentifier } from "#common/identifier";
import type { RequestOutcome } from "#common/metrics/outcome";
import { beginTranscribeSpan } from "#transcription/transcribe-span";
import type { TranscriptionCaller } from "./caller.js";
import type { TranscriptionContext } from "./context.js";

/** One transcription in the usage records, the metrics and the trace. */
export interface TranscriptionRecord {
  /** Goes with the audio to the cluster. */
  traceparent: string;
  /** The audio is complete: from here on the client waits. Counts from the beginning where it is not called. */
  audioIsComplete(): void;
  /** Call it once. Without usage the client was given nothing, and nobody asked for a transcript. */
  end(outcome: RequestOutcome, options?: { hasUsage: boolean }): void;
}

/** Begins the record. `givenSeconds` says how much audio the client has been given the words of, if this is the end. */
export function beginTranscriptionRecord(
  { context, caller, route }: { context: TranscriptionContext; caller: TranscriptionCaller; route: string },
  givenSeconds: (outcome: UsageRecord["outcome"]) => number,
): TranscriptionRecord {
  const { clock, metrics, tracing, usage } = context;
  let startedMs = clock.nowMs();
  const span = beginTranscribeSpan(tracing, caller.trace);
  const usageId = newIdentifier();
  const usageAt = (outcome: UsageRecord["outcome"]): UsageRecord => ({
    usageId,
    route,
    audioMs: Math.round(givenSeconds(outcome) * 1000),
    totalMs: clock.nowMs() - startedMs,
    outcome,
    teamId: caller.principal.teamId,
    keyId: caller.principal.keyId,
    model: transcriptionModel,
    characters: 0,
    firstAudioMs: null,
    traceId: caller.trace.traceId,
    finishedAtMs: Date.now(),
  });
  metrics.opened(route);
  const reportEnd = usage.begin(() => (givenSeconds("partial") === 0 ? null : usageAt("partial")));
  return {
    traceparent: span.traceparent,
    audioIsComplete: () => {
      startedMs = clock.nowMs();
    },
    end(outcome, { hasUsage } = { hasUsage: true }) {
      const record = usageAt(outcome);
      const { audioMs, totalMs } = record;
      metrics.closed(route, outcome, { audioMs, totalMs });
      span.finish({ outcome, audioMs });
      reportEnd(hasUsage ? record : null);
    },
  };
}
