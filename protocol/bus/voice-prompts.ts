/** Recordings that models speak in the voice of. */

/** Hz. */
export const PROMPT_RATE = 24_000;

/** Of a recording so much is used, from the beginning. */
export const MAX_PROMPT_SECONDS = 10;
