import type { Metrics } from "#common/metrics/registry";
import type { FirstAudioParts, SpeechMetrics } from "../speech/session/metrics.js";

const firstAudioSeconds = [0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10];
const partSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Declares what is counted of speech. */
export function createSpeechMetrics(metrics: Metrics): SpeechMetrics {
  const active = new Map<string, number>();
  const change = (route: string, by: number): void => void active.set(route, (active.get(route) ?? 0) + by);
  metrics.gauges("parley_streams_active", "Streams of speech being spoken, by route.", ["route"], () =>
    [...active].map(([route, value]) => ({ labels: { route }, value })),
  );
  const streams = metrics.counter("parley_streams_total", "Streams of speech that are over, by route and outcome: completed, cancelled or failed.", [
    "route",
    "outcome",
  ]);
  const toFirst = "From the text of the first chunk to the first bytes of sound.";
  const firstAudio = metrics.histogram("parley_first_audio_seconds", toFirst, firstAudioSeconds, ["route"]);
  const parts = metrics.histogram(
    "parley_first_audio_part_seconds",
    "Where the time to the first sound went: parse, queue, engine, return (both ways over the bus) and encode.",
    partSeconds,
    ["part"],
  );
  const audio = metrics.counter("parley_audio_seconds_total", "Sound given to listeners, by route.", ["route"]);
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
    audioGiven: (route, audioMs) => audio({ route }, audioMs / 1000),
  };
}

function partsOf({ parseMs, queueMs, engineMs, returnMs, encodeMs }: FirstAudioParts): [part: string, ms: number][] {
  return [["parse", parseMs], ["queue", queueMs], ["engine", engineMs], ["return", returnMs], ["encode", encodeMs]];
}
