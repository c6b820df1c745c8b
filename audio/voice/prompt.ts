import { MAX_PROMPT_SECONDS, PROMPT_RATE } from "#protocol/bus/voice-prompts";

/** Most samples of a prompt. */
export const MAX_PROMPT_SAMPLES = MAX_PROMPT_SECONDS * PROMPT_RATE;

/**
 * What stands for a voice of several recordings, each mono at `PROMPT_RATE`: one after the other, as far as a prompt
 * goes.
 */
export function joinPrompts(recordings: readonly Int16Array[]): Int16Array {
  const length = recordings.reduce((sum, samples) => sum + samples.length, 0);
  const prompt = new Int16Array(Math.min(MAX_PROMPT_SAMPLES, length));
  let at = 0;
  for (const samples of recordings) {
    if (at === prompt.length) break;
    const taken = samples.subarray(0, prompt.length - at);
    prompt.set(taken, at);
    at += taken.length;
  }
  return prompt;
}
