/** What is known of the caller's voice at one moment. */
export type ActivityEvent =
  /** `atMs`: when the first voiced frame came. */
  { type: "speech-started"; atMs: number } | { type: "speech-paused"; lastVoicedMs: number };
