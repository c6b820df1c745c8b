import { peakOf } from "../simd/sample-loops.js";

/** Gain with a ceiling: louder never clips. */
export interface Limiter {
  /** Takes samples, gives those whose look-ahead is complete. The result is valid until the next call. */
  process(samples: Float32Array): Float32Array;
  /** Gives the samples held back. The gain goes on from where it is. */
  flush(): Float32Array;
}

/** Largest sample that a signed 16-bit value can hold, of full scale 1. */
const CEILING = 32767 / 32768;
const LOOK_AHEAD_MS = 2;
const RELEASE_MS = 80;

/**
 * A look-ahead peak limiter: samples are multiplied by `gainDb`, and where that would pass full scale, the gain sinks
 * over the 2 ms before the peak and recovers in about 80 ms after it. Without peaks the samples are only multiplied; at
 * 0 dB they come out bit for bit.
 *
 * The needed gain of each sample is held as a minimum over the look-ahead, released slowly, and averaged over a window
 * as long as the look-ahead: every value in that average already respects the peak, so the average does.
 */
export function createLimiter(gainDb: number, sampleRate: number): Limiter {
  const gain = 10 ** (gainDb / 20);
  const lookAhead = Math.max(1, Math.round((sampleRate * LOOK_AHEAD_MS) / 1000));
  const span = lookAhead + 1;
  const releaseFactor = 1 - Math.exp(-1000 / (RELEASE_MS * sampleRate));
  const delayed = new Float32Array(span);
  const recentGains = new Float64Array(span).fill(1);
  const minimum = createSlidingMinimum(span);
  let output = new Float32Array(2048);
  let index = 0;
  let held = 0;
  let released = 1;
  let gainSum = span;
  let fullGains = span;

  function step(sample: number): number {
    const level = Math.abs(sample);
    const needed = minimum.push(level > CEILING ? CEILING / level : 1);
    const recovering = released + (1 - released) * releaseFactor;
    released = Math.min(needed, recovering > 0.99999 ? 1 : recovering);
    gainSum += released - (recentGains[index] as number);
    recentGains[index] = released;
    fullGains = released === 1 ? fullGains + 1 : 0;
    // Rounding left over from earlier sums would keep the gain a hair away from 1 for ever.
    if (fullGains >= span) gainSum = span;
    delayed[index] = sample;
    index = (index + 1) % span;
    return Math.max(-CEILING, Math.min(CEILING, ((delayed[index] as number) * gainSum) / span));
  }

  /**
   * The common case, in blocks: no peak comes and none is remembered, so the gain stays 1 and only the delay acts. Gives
   * the samples that were held, then the new ones but for the last, which are held in their place.
   */
  function delay(samples: Float32Array, factor: number): Float32Array {
    for (let i = 0; i < held; i++) output[i] = delayed[(index + span - held + i) % span] as number;
    if (factor === 1) output.set(samples, held);
    else for (let i = 0; i < samples.length; i++) output[held + i] = (samples[i] as number) * factor;
    const total = held + samples.length;
    held = Math.min(lookAhead, total);
    delayed.set(output.subarray(total - held, total));
    index = held % span;
    return output.subarray(0, total - held);
  }

  function run(samples: Float32Array, factor: number): Float32Array {
    if (output.length < samples.length + lookAhead) output = new Float32Array(samples.length + lookAhead);
    if (fullGains >= span && peakOf(samples) * factor <= CEILING) return delay(samples, factor);
    let count = 0;
    for (let i = 0; i < samples.length; i++) {
      const sample = step(Math.fround((samples[i] as number) * factor));
      // While the delay line fills, what leaves it is the silence from before the start.
      if (held < lookAhead) held++;
      else output[count++] = sample;
    }
    return output.subarray(0, count);
  }

  return {
    process: (samples) => run(samples, gain),
    flush() {
      const waiting = held;
      held = lookAhead;
      const silence = new Float32Array(lookAhead);
      const tail = run(silence, 1).slice(lookAhead - waiting);
      held = 0;
      return tail;
    },
  };
}

/** Minimum of the last `span` values, by a queue of the values that can still become it. */
function createSlidingMinimum(span: number): { push(value: number): number } {
  const values = new Float64Array(span + 1);
  const expiries = new Float64Array(span + 1);
  let head = 0;
  let size = 0;
  let time = 0;
  return {
    push(value) {
      time++;
      if (size > 0 && (expiries[head] as number) <= time) {
        head = (head + 1) % values.length;
        size--;
      }
      while (size > 0 && (values[(head + size - 1) % values.length] as number) >= value) size--;
      const slot = (head + size) % values.length;
      values[slot] = value;
      expiries[slot] = time + span;
      size++;
      return values[head] as number;
    },
  };
}
