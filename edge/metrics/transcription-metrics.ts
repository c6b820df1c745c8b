import type { Metrics } from "#common/metrics/registry";
import type { TranscriptionMetrics } from "#transcription/metrics";

/** Opens what is counted of transcriptions. */
export function createTranscriptionMetrics(metrics: Metrics): TranscriptionMetrics {
  const active = new Map<string, number>();
  const change = (route: string, by: number): void => void active.set(route, (active.get(route) ?? 0) + by);
  metrics.gauges("parley_transcriptions_active", () =>
    [...active].map(([route, value]) => ({ labels: { route }, value })),
  );
  const transcriptions = metrics.counter("parley_transcriptions_total");
  const audio = metrics.counter("parley_transcribed_audio_seconds_total");
  const duration = metrics.histogram("parley_transcription_seconds");
  return {
    opened: (route) => change(route, 1),
    closed: (route, outcome, { audioMs, totalMs }) => {
      change(route, -1);
      transcriptions({ route, outcome });
      audio({ route }, audioMs / 1000);
      if (outcome === "completed") duration({ route }, totalMs / 1000);
    },
  };
}
