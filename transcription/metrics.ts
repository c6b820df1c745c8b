import type { RequestOutcome } from "#common/metrics/outcome";

/** What the transcribing path reports; the edge's metrics implement it. */
export interface TranscriptionMetrics {
  opened(route: string): void;
  /** `audioMs` of audio were transcribed, in `totalMs` from the complete upload to the transcript. */
  closed(route: string, outcome: RequestOutcome, figures: { audioMs: number; totalMs: number }): void;
}

/** Reports nothing. */
export const noTranscriptionMetrics: TranscriptionMetrics = { opened: () => undefined, closed: () => undefined };
