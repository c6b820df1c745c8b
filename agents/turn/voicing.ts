/** Frames come at 16 kHz; pitch is looked for at a quarter of that. */
const DECIMATION = 4;
const RATE_HZ = 16_000 / DECIMATION;
const SHORTEST_LAG = Math.floor(RATE_HZ / 400);
const LONGEST_LAG = Math.ceil(RATE_HZ / 70);
/** 30 ms: at least two periods of all but the deepest voices. */
const WINDOW = (RATE_HZ * 30) / 1000;

/**
 * How much the latest 30 ms repeat themselves with the period of a voice (70 to 400 Hz): the highest normalized
 * autocorrelation. About 0.3 for noise, above 0.6 for vowels, 1 for a steady tone.
 */
export class Voicing {
  readonly #samples = new Float64Array(WINDOW + LONGEST_LAG);
  #carry = new Float64Array(DECIMATION);

  /** Takes the next samples, a multiple of four. */
  push(samples: Float64Array): void {
    const count = samples.length / DECIMATION;
    this.#samples.copyWithin(0, count);
    const from = this.#samples.length - count;
    for (let i = 0; i < count; i++) this.#samples[from + i] = this.#lowPassed(samples, i * DECIMATION);
    this.#carry = samples.slice(-DECIMATION);
  }

  periodicity(): number {
    const samples = this.#samples;
    const from = samples.length - WINDOW;
    const energy = dot(samples, from, from);
    let shifted = dot(samples, from - SHORTEST_LAG, from - SHORTEST_LAG);
    let highest = 0;
    for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++) {
      const scale = Math.sqrt(energy * shifted);
      if (scale > 0) highest = Math.max(highest, dot(samples, from, from - lag) / scale);
      const first = from - lag;
      const [entering, leaving] = [samples[first - 1] ?? 0, samples[first + WINDOW - 1] as number];
      shifted = Math.max(0, shifted + entering * entering - leaving * leaving);
    }
    return Math.min(1, highest);
  }

  /** A mean over eight samples, of which the last four are those at `at`. */
  #lowPassed(samples: Float64Array, at: number): number {
    let sum = 0;
    for (let i = 0; i < DECIMATION; i++) {
      sum += samples[at + i] as number;
      sum += (at === 0 ? this.#carry[i] : samples[at - DECIMATION + i]) as number;
    }
    return sum / (2 * DECIMATION);
  }
}

/** The product of two stretches of `WINDOW` samples. */
function dot(samples: Float64Array, a: number, b: number): number {
  let sum = 0;
  for (let i = 0; i < WINDOW; i++) sum += (samples[a + i] as number) * (samples[b + i] as number);
  return sum;
}
