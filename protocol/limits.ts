const KIB = 1024;
const MIB = 1024 * 1024;

/** Largest request bodies, by what a route takes, bytes. A route declares one of them; past it the answer is 413. */
export const bodyLimits = {
  /** Nothing is wanted; a small body all the same, as some clients send with GET, is ignored. */
  none: 0,
  /** A few words about what is to be done. */
  action: 64 * KIB,
  /** A text of a million characters, whatever script it is in. */
  text: 4 * MIB,
  /** The same with the reference samples of several speakers. */
  speech: 32 * MIB,
  /** The record of an agent, a tool, a test. */
  record: 8 * MIB,
  /** What one session has otherwise than its agent: little enough to stay out of the object store, for anybody sends it. */
  session: 512 * KIB,
  /** Several times the largest knowledge source, so that one that is a little too large gets an answer that says so. */
  knowledge: 8 * MIB,
  /** Samples of a voice, and a picture. */
  voice: 64 * MIB,
  /** The largest file of `POST /v1/asr`, and a form around it. */
  audio: 20 * MIB + 64 * KIB,
  /** The largest file of other vendors' transcriptions, 100 MiB, as base64. */
  compatAudio: 140 * MIB,
} as const;

/** A body that is not wanted is read and dropped up to here; a longer one is refused, and ends the connection. */
export const MAX_IGNORED_BODY_BYTES = 64 * KIB;

/**
 * An answer that is one object is held until its audio is complete (OpenAI's chat completions without `stream`,
 * ElevenLabs' `with-timestamps`). Longer ones are for the streamed routes.
 */
export const heldAnswerLimits = {
  /** Text, UTF-16 units: half an hour of speech. */
  characters: 20_000,
  /**
   * The answer as it is sent, bytes: half an hour of MP3 at 128 kbit/s in base64, or nearly six minutes of WAV at 44.1
   * kHz.
   */
  bytes: 40 * MIB,
} as const;

/** Largest WebSocket frames, bytes; past it the close code is 1009. */
export const frameLimits = {
  /** `start` of the live socket may carry reference samples. */
  live: 32 * MIB,
  /** Text for a voice: as much as may wait, and what JSON puts around it. */
  text: 2 * MIB,
  /** Audio in base64. */
  audio: 32 * MIB,
} as const;
