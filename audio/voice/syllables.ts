import { HOP_SAMPLES, levelTrack } from "./levels.js";

/** A nucleus stands out by this much from the dips on both sides. */
const PROMINENCE_DB = 1;
/** Nuclei further below the loudest are noise, reverberation or breath. */
const RANGE_DB = 28;
/**
 * Frames smoothed over. With the values above, counts on read speech are within a tenth of the syllables in its text.
 */
const SMOOTHING_FRAMES = 3;

/**
 * Counts syllable nuclei: peaks of the energy between about 300 and 3000 Hz that are voiced and separated by dips, the
 * idea of de Jong and Wempe (2009). `voiced` has one entry for each 10 ms.
 */
export function countSyllables(samples: Float32Array, voiced: readonly boolean[]): number {
  const envelope = smoothed(levelTrack(vowelBand(samples)));
  const loudest = envelope.reduce((most, level) => Math.max(most, level), Number.NEGATIVE_INFINITY);
  let count = 0;
  let dip = Number.POSITIVE_INFINITY;
  let peak = Number.NEGATIVE_INFINITY;
  let peakFrame = 0;
  for (let frame = 0; frame < envelope.length; frame++) {
    const level = envelope[frame] as number;
    if (level > peak) {
      peak = level;
      peakFrame = frame;
    }
    // Before a rise stands the dip; after it, the fall that proves the peak.
    if (peak - dip < PROMINENCE_DB) {
      if (level < dip) {
        dip = level;
        peak = level;
      }
      continue;
    }
    if (peak - level < PROMINENCE_DB && frame < envelope.length - 1) continue;
    if (peak > loudest - RANGE_DB && isVoiced(voiced, peakFrame)) count++;
    dip = level;
    peak = level;
  }
  return count;
}

function isVoiced(voiced: readonly boolean[], frame: number): boolean {
  for (let near = frame - 2; near <= frame + 2; near++) if (voiced[near]) return true;
  return false;
}

function smoothed(levels: Float64Array): Float64Array {
  const half = (SMOOTHING_FRAMES - 1) / 2;
  return levels.map((_, frame) => {
    let sum = 0;
    let weight = 0;
    for (let offset = -half; offset <= half; offset++) {
      const near = levels[frame + offset];
      if (near === undefined) continue;
      const part = half + 1 - Math.abs(offset);
      sum += near * part;
      weight += part;
    }
    return sum / weight;
  });
}

/** One-pole high-pass at 300 Hz and low-pass at 3 kHz: enough to keep the voice bar and hiss from making peaks. */
function vowelBand(samples: Float32Array): Float32Array {
  const low = Math.exp((-2 * Math.PI * 300) / (HOP_SAMPLES * 100));
  const high = Math.exp((-2 * Math.PI * 3000) / (HOP_SAMPLES * 100));
  let slow = 0;
  let fast = 0;
  return samples.map((sample) => {
    slow = sample + (slow - sample) * low;
    fast = sample - slow + (fast - (sample - slow)) * high;
    return fast;
  });
}
