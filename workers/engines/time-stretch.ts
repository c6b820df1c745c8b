/** Length of the pieces that are laid out anew, and how far from its place each may be taken to fit the one before. */
const WINDOW_MS = 32;
const SEARCH_MS = 10;
/** Candidates are compared by every fourth sample first, then around the best by each. */
const COARSE_STEP = 4;

/**
 * Makes audio `factor` times as long and keeps its pitch, by waveform-similarity overlap-add (Verhelst and Roelands,
 * ICASSP 1993): overlapping pieces are laid out at another distance, each taken from where it continues the one before.
 */
export function stretchTime(audio: Float32Array, factor: number, sampleRate: number): Float32Array {
  const hop = Math.round(((WINDOW_MS / 1000) * sampleRate) / 2);
  const search = Math.round((SEARCH_MS / 1000) * sampleRate);
  const length = Math.round(audio.length * factor);
  if (factor === 1 || audio.length < 4 * hop) return audio;
  const fade = Float32Array.from({ length: hop }, (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / hop));
  const result = new Float32Array(length);
  result.set(audio.subarray(0, Math.min(hop, length)));
  // Where the audio would go on by itself after what has been laid out.
  let follows = hop;
  for (let at = hop; at < length; at += hop) {
    const place = Math.round(at / factor);
    const from = mostAlike(audio, follows, place, { hop, search });
    for (let i = 0; i < hop && at + i < length; i++) {
      const weight = fade[i] as number;
      result[at + i] = (1 - weight) * (audio[follows + i] ?? 0) + weight * (audio[from + i] ?? 0);
    }
    follows = from + hop;
  }
  return result;
}

/** The place near `place` whose audio is most like that at `wanted`. */
function mostAlike(
  audio: Float32Array,
  wanted: number,
  place: number,
  { hop, search }: { hop: number; search: number },
): number {
  const last = audio.length - 2 * hop;
  const [low, high] = [Math.max(0, Math.min(last, place - search)), Math.max(0, Math.min(last, place + search))];
  const likeness = (from: number, step: number): number => {
    let product = 0;
    let energy = 1e-9;
    for (let i = 0; i < hop; i += step) {
      const value = audio[from + i] as number;
      product += value * (audio[wanted + i] ?? 0);
      energy += value * value;
    }
    return product / Math.sqrt(energy);
  };
  const best = (from: number, to: number, step: number): number => {
    let chosen = from;
    let highest = Number.NEGATIVE_INFINITY;
    for (let candidate = from; candidate <= to; candidate += step) {
      const score = likeness(candidate, step);
      if (score > highest) [chosen, highest] = [candidate, score];
    }
    return chosen;
  };
  const coarse = best(low, high, COARSE_STEP);
  return best(Math.max(low, coarse - COARSE_STEP), Math.min(high, coarse + COARSE_STEP), 1);
}
