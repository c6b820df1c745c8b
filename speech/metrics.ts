import type { RequestOutcome } from "#common/metrics/outcome";

/** Where speech is asked for, as usage and metrics name it; the mounts of a compatibility layer are one. */
export type SpeechRoute =
  | "/v1/tts"
  | "/v1/tts/stream/with-timestamp"
  | "/v1/tts/live"
  | "/compat/audio/speech"
  | "/compat/chat/completions"
  | "/compat/realtime"
  | "/compat/text-to-speech"
  | "/compat/text-to-speech/stream-input";

/**
 * Where the time to the first audio went, milliseconds.
 *
 *     text arrived ─parse─► submitted ─queue─► dispatched ─engine─► frame ─return─► at the edge ─encode─► bytes handed
 *     to the socket
 *
 * `queue` and `engine` are measured where they happen; `return` is the rest of the round trip: both ways over the bus.
 */
export interface FirstAudioParts {
  parseMs: number;
  queueMs: number;
  engineMs: number;
  returnMs: number;
  encodeMs: number;
}

/** What the speech path reports; the edge's metrics implement it. */
export interface SpeechMetrics {
  streamOpened(route: SpeechRoute): void;
  streamClosed(route: SpeechRoute, outcome: RequestOutcome): void;
  /** From the arrival of the text that made the first chunk to the first bytes of audio. */
  firstAudio(route: SpeechRoute, totalMs: number, parts: FirstAudioParts): void;
  /** Audio given to clients. */
  audioGiven(route: SpeechRoute, audioMs: number): void;
}
