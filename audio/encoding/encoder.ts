import type { AudioFormat } from "#protocol/speech/request";

/** What an encoder turns PCM into. */
export interface EncoderSpec {
  format: AudioFormat;
  /** Rate of the samples written, Hz. */
  inputSampleRate: number;
  /** Rate of the encoded audio, Hz. */
  outputSampleRate: number;
  /** MP3 only: 64, 128 or 192. */
  mp3KilobitsPerSecond: number;
  /** Opus only; null is automatic. */
  opusBitsPerSecond: number | null;
  /** Gain in dB; a limiter keeps peaks below full scale, so louder never clips. */
  gainDb: number;
}

/**
 * One stream's encoder. It runs on a thread of its pool, for PCM and WAV on the caller's; calls are carried out in
 * order. The bytes depend only on the samples and on where `flush` was called, never on how the
 * samples were split over `write` calls: a stream that was repaired after a fault is byte-identical to an undisturbed
 * one.
 */
export interface AudioEncoder {
  /**
   * Takes ownership of `samples` (its buffer is transferred when it spans it wholly). Resolves with the encoded bytes
   * that are ready, often none. `dueMs` is when a player will have nothing else to play, milliseconds on any clock that
   * is the pool's only one: streams on one thread take turns in that order. Those that do not say go first.
   */
  write(samples: Int16Array, dueMs?: number): Promise<Uint8Array>;
  /**
   * Pushes out the audio held back so far, padding with silence (Opus up to 20 ms, MP3 about 40 ms, PCM none); the
   * stream goes on.
   */
  flush(): Promise<Uint8Array>;
  /** Ends the stream: gives the rest, closing the container. */
  finish(): Promise<Uint8Array>;
  /** Frees the encoder at any point; pending calls reject. */
  close(): void;
}

/** Threads that encode; each stream stays on one thread. */
export interface EncoderPool {
  open(spec: EncoderSpec): AudioEncoder;
  close(): Promise<void>;
}
