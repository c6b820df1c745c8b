import type { SpeechOutcome } from "../speech/session/metrics.js";

/** What the transcribing path reports; the edge's metrics implement it. */
export interface TranscriptionMetrics {
  opened(route: string): void;
  /** `audioMs` of sound were transcribed, in `totalMs` from the complete upload to the transcript. */
  closed(route: string, outcome: SpeechOutcome, figures: { audioMs: number; totalMs: number }): void;
}

/** Reports nothing. */
export const noTranscriptionMetrics: TranscriptionMetrics = { opened: () => undefined, closed: () => undefined };
