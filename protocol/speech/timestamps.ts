/** What is known of the words of the chunk that the audio belongs to. */
export interface ChunkAlignment {
  /** Text of the chunk that `alignment` describes. */
  content: string;
  /** Snapshot for `chunk_seq`; a later one replaces it. Seconds relative to the chunk. */
  alignment: { segments: { text: string; start: number; end: number }[]; audio_duration: number } | null;
  chunk_seq: number;
  /** Absolute start of the chunk in the audio, seconds. */
  chunk_audio_offset_sec: number;
}

/**
 * One server-sent event of `POST /v1/tts/stream/with-timestamp` (docs/protocol.md "Speech with timestamps"); every key
 * is always present.
 */
export interface TimestampEvent extends ChunkAlignment {
  audio_base64: string;
}
