import type { SpeechMetrics } from "../metrics.js";

/** Reports nothing. */
export const noMetrics: SpeechMetrics = {
  streamOpened: () => undefined,
  streamClosed: () => undefined,
  firstAudio: () => undefined,
  audioGiven: () => undefined,
};
