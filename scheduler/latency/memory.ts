/** How long measurements count: a machine that was slow when it started, or for a while, is soon not held to that. */
const TIME_CONSTANT_MS = 5000;

/** Measurements older than this count for nothing. */
export const MEMORY_MS = 4 * TIME_CONSTANT_MS;

/** What is left of the weight of measurements of `agoMs` ago. */
export function remembered(agoMs: number): number {
  return Math.exp(-Math.max(0, agoMs) / TIME_CONSTANT_MS);
}
