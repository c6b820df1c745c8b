import { type Filter, openFilter } from "./filter.js";

/** What turns one sample rate into another. */
export interface FilterBank {
  /** Interpolation factor: phases in the bank. */
  up: number;
  /** Decimation factor: phases that one output sample advances. */
  down: number;
  /** Coefficients of one phase, a multiple of 8. */
  taps: number;
  filter: Filter;
}

/** Kaiser window parameter: about 90 dB of stop-band attenuation. */
const KAISER_BETA = 9;
/** Middle of the transition band, as a part of the lower Nyquist frequency. */
const CUTOFF = 0.91;
/**
 * Common rates need at most 640 phases of 48 coefficients; a stranger's file with an odd rate gets the nearest ratio
 * within this size.
 */
const MAX_COEFFICIENTS = 2 ** 21;
/** Larger banks serve one file and are forgotten. */
const MAX_CACHED_COEFFICIENTS = 2 ** 16;

const banks = new Map<string, FilterBank>();

/** Cached: the bank of 22050 to 48000 Hz takes some milliseconds to compute. */
export function filterBank(inputSampleRate: number, outputSampleRate: number): FilterBank {
  const key = `${inputSampleRate}:${outputSampleRate}`;
  const known = banks.get(key);
  if (known !== undefined) return known;
  const narrowing = Math.min(1, outputSampleRate / inputSampleRate);
  const zeroCrossings = narrowing < 1 ? 32 : 24;
  const half = 4 * Math.ceil(zeroCrossings / narrowing / 4);
  const taps = 2 * half;
  const { up, down } = ratio(outputSampleRate, inputSampleRate, Math.floor(MAX_COEFFICIENTS / taps));
  const coefficients = new Float32Array(up * taps);
  for (let phase = 0; phase < up; phase++) {
    coefficients.set(phaseRow(phase / up, half, CUTOFF * narrowing), phase * taps);
  }
  const bank = { up, down, taps, filter: openFilter(coefficients, { up, down, taps }) };
  // Strangers choose the rates of their files: the cache must not grow with them.
  if (banks.size >= 64) banks.clear();
  if (coefficients.length <= MAX_CACHED_COEFFICIENTS) banks.set(key, bank);
  return bank;
}

/** Windowed sinc at a fractional offset, scaled to unit gain at 0 Hz. */
function phaseRow(offset: number, half: number, cutoff: number): Float32Array {
  const row = new Float32Array(2 * half);
  let sum = 0;
  for (let k = 0; k < row.length; k++) {
    const time = k - half + 1 - offset;
    const place = time / half;
    const angle = Math.PI * cutoff * time;
    const sinc = Math.abs(angle) < 1e-9 ? 1 : Math.sin(angle) / angle;
    const value = Math.abs(place) >= 1 ? 0 : sinc * bessel(KAISER_BETA * Math.sqrt(1 - place * place));
    row[k] = value;
    sum += value;
  }
  return row.map((value) => value / sum);
}

/** Modified Bessel function of the first kind, order 0, by its power series. */
function bessel(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > 1e-12 * sum; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/**
 * `output / input` as a fraction with at most `maxUp` in the numerator: exact where it can be, else the best
 * convergent.
 */
function ratio(output: number, input: number, maxUp: number): { up: number; down: number } {
  let [before, up] = [0, 1];
  let [beforeDown, down] = [1, 0];
  let [a, b] = [output, input];
  while (b > 0) {
    const quotient = Math.floor(a / b);
    const nextUp = quotient * up + before;
    if (nextUp > maxUp && up > 0 && down > 0) break;
    [before, up] = [up, nextUp];
    [beforeDown, down] = [down, quotient * down + beforeDown];
    [a, b] = [b, a % b];
  }
  return { up, down };
}
