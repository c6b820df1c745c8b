/** A token that was written, and the natural logarithm of its probability among all that were allowed. */
export interface ChosenToken {
  id: number;
  logProbability: number;
}

/** What the tokens of a model stand for. */
export interface WrittenTokens {
  /** UTF-8 of an id, which may be part of a character; empty for tokens that are no text. */
  bytesOf(id: number): Uint8Array;
  /** The timestamp of 0 s, each next id is 20 ms later; infinity where the model writes none. */
  firstTimestamp: number;
}

/** The highest of the scores from one place to before another. */
export function highest(scores: Float32Array, from: number, to: number): number {
  let found = Number.NEGATIVE_INFINITY;
  for (let i = from; i < to; i++) if ((scores[i] as number) > found) found = scores[i] as number;
  return found;
}

/** The natural logarithm of the sum of their powers of e. */
export function logSum(scores: Float32Array, from: number, to: number): number {
  const top = highest(scores, from, to);
  if (top === Number.NEGATIVE_INFINITY) return top;
  let sum = 0;
  for (let i = from; i < to; i++) sum += Math.exp((scores[i] as number) - top);
  return top + Math.log(sum);
}

/** The natural logarithm of one token's probability among all. */
export function logProbabilityOf(scores: Float32Array, id: number): number {
  return (scores[id] as number) - logSum(scores, 0, scores.length);
}
