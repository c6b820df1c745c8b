/** Tokens of sound that the service's models make per second: what `usage` counts (as `max_new_tokens` does). */
export const AUDIO_TOKENS_PER_SECOND = 21.5;
