import type { Metrics } from "#common/metrics/registry";
import type { SpeechMetrics } from "./metrics.js";

const partSeconds = [0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Declares the speech path's metrics. `activeStreams` is read when a scraper asks. */
export function registerSpeechMetrics(metrics: Metrics, activeStreams: () => number): SpeechMetrics {
  metrics.gauge("parley_speech_streams_active", "Speech streams that are not over.", activeStreams);
  const opened = metrics.counter("parley_speech_streams_opened_total", "Speech streams opened, by route.", ["route"]);
  const closed = metrics.counter("parley_speech_streams_closed_total", "Speech streams that are over, by route and outcome.", ["route", "outcome"]);
  const audio = metrics.counter("parley_speech_audio_seconds_total", "Seconds of sound given to listeners, by route.", ["route"]);
  const first = metrics.histogram("parley_speech_first_audio_seconds", "From the text's arrival to the first bytes of sound, by route.", partSeconds, ["route"]);
  const parts = metrics.histogram("parley_speech_first_audio_part_seconds", "Parts of the time to the first sound: parse, queue, engine, return, encode.", partSeconds, [
    "route",
    "part",
  ]);
  return {
    streamOpened: (route) => opened({ route }),
    streamClosed: (route, outcome) => closed({ route, outcome }),
    audioGiven: (route, audioMs) => audio({ route }, audioMs / 1000),
    firstAudio(route, totalMs, { parseMs, queueMs, engineMs, returnMs, encodeMs }) {
      first({ route }, totalMs / 1000);
      const times = { parse: parseMs, queue: queueMs, engine: engineMs, return: returnMs, encode: encodeMs };
      for (const [part, durationMs] of Object.entries(times)) parts({ route, part }, durationMs / 1000);
    },
  };
}
