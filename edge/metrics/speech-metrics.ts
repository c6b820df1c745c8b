import type { Metrics } from "#common/metrics/registry";
import type { FirstAudioParts, SpeechMetrics } from "#speech/metrics";

/** Opens what is counted of speech. */
export function createSpeechMetrics(metrics: Metrics): SpeechMetrics {
  const active = new Map<string, number>();
  const change = (route: string, by: number): void => void active.set(route, (active.get(route) ?? 0) + by);
  metrics.gauges("parley_streams_active", () => [...active].map(([route, value]) => ({ labels: { route }, value })));
  const streams = metrics.counter("parley_streams_total");
  const firstAudio = metrics.histogram("parley_first_audio_seconds");
  const parts = metrics.histogram("parley_first_audio_part_seconds");
  const audio = metrics.counter("parley_audio_seconds_total");
  return {
    streamOpened: (route) => change(route, 1),
    streamClosed: (route, outcome) => {
      change(route, -1);
      streams({ route, outcome });
    },
    firstAudio: (route, totalMs, times) => {
      firstAudio({ route }, totalMs / 1000);
      for (const [part, ms] of partsOf(times)) parts({ part }, ms / 1000);
    },
    audioGiven: (route, audioMs) => {
      if (audioMs > 0) audio({ route }, audioMs / 1000);
    },
  };
}

function partsOf({ parseMs, queueMs, engineMs, returnMs, encodeMs }: FirstAudioParts): [part: string, ms: number][] {
  return [
    ["parse", parseMs],
    ["queue", queueMs],
    ["engine", engineMs],
    ["return", returnMs],
    ["encode", encodeMs],
  ];
}
