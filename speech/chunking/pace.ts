/** How eagerly the text is cut: `latency` of the request. */
export type Latency = "low" | "balanced" | "normal";

/** When the n-th piece may be cut, in characters. */
export interface CutLimits {
  /** A sentence end cuts from here on. */
  sentenceMin: number;
  /** A clause mark cuts from here on. */
  clauseMin: number;
  /** No piece grows longer: the best place so far is taken. */
  max: number;
}

export interface Pace {
  latency: Latency;
  /** Longest piece, 100 to 300 characters. */
  chunkLength: number;
  /**
   * Shorter sentences are joined with the next; the first piece after a start or flush is exempt, because somebody
   * waits for it.
   */
  minChunkLength: number;
}

const never = Number.POSITIVE_INFINITY;

const firstCut: Readonly<Record<Latency, { clauseMin: number; max: number }>> = {
  low: { clauseMin: 6, max: 50 },
  balanced: { clauseMin: 20, max: 100 },
  normal: { clauseMin: 60, max: never },
};

/**
 * Limits of the piece at `ordinal` since the start or the last flush. Pieces grow: the first gets audio out, each later
 * one is longer because the audio before it pays for the wait, up to whole sentences of `chunkLength`.
 */
export function cutLimits(pace: Pace, ordinal: number): CutLimits {
  const { chunkLength } = pace;
  const min = Math.min(pace.minChunkLength, chunkLength);
  if (ordinal === 0) {
    const first = firstCut[pace.latency];
    return { sentenceMin: 1, clauseMin: first.clauseMin, max: Math.min(first.max, chunkLength) };
  }
  if (ordinal === 1) return { sentenceMin: min, clauseMin: Math.max(min, 80), max: Math.min(150, chunkLength) };
  const target = Math.min(ordinal === 2 ? 60 : 100, Math.round(chunkLength / 2));
  return { sentenceMin: Math.max(min, target), clauseMin: never, max: chunkLength };
}

/**
 * Limits of text whose speech the client has asked for: it waits for the end of a phrase, or for as many characters as
 * a first piece takes.
 */
export function triggeredLimits({ chunkLength }: Pace): CutLimits {
  const { clauseMin, max } = firstCut.low;
  return { sentenceMin: 1, clauseMin, max: Math.min(max, chunkLength) };
}

/** How long a finished sentence at the very end of the text waits for more text before it is spoken. */
export const stallMs: Readonly<Record<Latency, number>> = { low: 150, balanced: 300, normal: 500 };
