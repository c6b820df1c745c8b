/** Streaming conversion between two sample rates; state is one filter length of history. */
export interface Resampler {
  /**
   * Takes samples at the input rate, gives those at the output rate that are complete. The result is valid until the
   * next call.
   */
  process(samples: Float32Array): Float32Array;
  /**
   * Pushes the filter's tail out and starts anew: `n` samples since the last flush have then given `ceil(n * output /
   * input)`.
   */
  flush(): Float32Array;
}

interface FilterBank {
  /** Interpolation factor: phases in the bank. */
  up: number;
  /** Decimation factor: phases that one output sample advances. */
  down: number;
  /** Coefficients of one phase, a multiple of 4. */
  taps: number;
  /** `up` rows of `taps` coefficients. */
  coefficients: Float32Array;
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

/**
 * A polyphase windowed-sinc resampler without delay: output sample k stands at input time `k * input / output`, and
 * audio before the first sample is silence. Each output sample is the same sum in the same order however the input is
 * split, so results are reproducible to the bit. Equal rates give the input back.
 */
export function createResampler(inputSampleRate: number, outputSampleRate: number): Resampler {
  if (inputSampleRate === outputSampleRate) return { process: (samples) => samples, flush: () => new Float32Array(0) };
  const bank = filterBank(inputSampleRate, outputSampleRate);
  const { up, down, taps } = bank;
  // The first output sample sits in the middle of the filter: half a filter of silence stands before it.
  const history = taps / 2 - 1;
  let window = new Float32Array(taps + 4096);
  let output = new Float32Array(4096);
  let filled = history;
  let phase = 0;
  let taken = 0;
  let given = 0;

  function push(samples: Float32Array): Float32Array {
    if (window.length < filled + samples.length) window = grown(window, filled + samples.length);
    window.set(samples, filled);
    filled += samples.length;
    const most = Math.ceil((samples.length * up) / down) + 2;
    if (output.length < most) output = new Float32Array(most);
    let position = 0;
    let count = 0;
    for (; position + taps <= filled; count++) {
      output[count] = dot(window, position, bank.coefficients, phase * taps, taps);
      phase += down;
      position += Math.floor(phase / up);
      phase %= up;
    }
    // When decimating, the next sample may stand beyond what has arrived.
    const consumed = Math.min(position, filled);
    window.copyWithin(0, consumed, filled);
    filled -= consumed;
    return output.subarray(0, count);
  }

  return {
    process(samples) {
      taken += samples.length;
      const result = push(samples);
      given += result.length;
      return result;
    },
    flush() {
      const wanted = Math.ceil((taken * up) / down) - given;
      const tail = push(new Float32Array(taps)).slice(0, wanted);
      window.fill(0);
      filled = history;
      phase = 0;
      taken = 0;
      given = 0;
      return tail;
    },
  };
}

/** Samples that `resampleWhole` takes at a time: the resampler holds a few times as many. */
const WHOLE_STEP_SAMPLES = 65_536;

/** Converts one whole audio; besides the result, little more memory is needed, however long it is. */
export function resampleWhole(samples: Float32Array, inputSampleRate: number, outputSampleRate: number): Float32Array {
  const whole = new Float32Array(Math.ceil((samples.length * outputSampleRate) / inputSampleRate) + 1);
  const resampler = createResampler(inputSampleRate, outputSampleRate);
  let filled = 0;
  const put = (part: Float32Array): void => {
    whole.set(part, filled);
    filled += part.length;
  };
  for (let at = 0; at < samples.length; at += WHOLE_STEP_SAMPLES)
    put(resampler.process(samples.subarray(at, at + WHOLE_STEP_SAMPLES)));
  put(resampler.flush());
  return whole.subarray(0, filled);
}

/** Four running sums: the processor can work on them at once, and the order of the additions is fixed. */
function dot(signal: Float32Array, from: number, coefficients: Float32Array, row: number, taps: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let k = 0; k < taps; k += 4) {
    a += (signal[from + k] as number) * (coefficients[row + k] as number);
    b += (signal[from + k + 1] as number) * (coefficients[row + k + 1] as number);
    c += (signal[from + k + 2] as number) * (coefficients[row + k + 2] as number);
    d += (signal[from + k + 3] as number) * (coefficients[row + k + 3] as number);
  }
  return a + b + (c + d);
}

function grown(old: Float32Array, length: number): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(length * 2);
  larger.set(old);
  return larger;
}

/** Cached: the bank of 22050 to 48000 Hz takes some milliseconds to compute. */
function filterBank(inputSampleRate: number, outputSampleRate: number): FilterBank {
  const key = `${inputSampleRate}:${outputSampleRate}`;
  const known = banks.get(key);
  if (known !== undefined) return known;
  const narrowing = Math.min(1, outputSampleRate / inputSampleRate);
  const zeroCrossings = narrowing < 1 ? 32 : 24;
  const half = 2 * Math.ceil(zeroCrossings / narrowing / 2);
  const taps = 2 * half;
  const { up, down } = ratio(outputSampleRate, inputSampleRate, Math.floor(MAX_COEFFICIENTS / taps));
  const coefficients = new Float32Array(up * taps);
  for (let phase = 0; phase < up; phase++) {
    coefficients.set(phaseRow(phase / up, half, CUTOFF * narrowing), phase * taps);
  }
  const bank = { up, down, taps, coefficients };
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
