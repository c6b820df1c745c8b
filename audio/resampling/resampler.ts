import { filterBank } from "./filter-bank.js";

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

/**
 * A polyphase windowed-sinc resampler without delay: output sample k stands at input time `k * input / output`, and
 * audio before the first sample is silence. Each output sample is the same sum in the same order however the input is
 * split, so results are reproducible to the bit. Equal rates give the input back.
 */
export function createResampler(inputSampleRate: number, outputSampleRate: number): Resampler {
  if (inputSampleRate === outputSampleRate) return { process: (samples) => samples, flush: () => new Float32Array(0) };
  const { up, down, taps, filter } = filterBank(inputSampleRate, outputSampleRate);
  // The first output sample sits in the middle of the filter: half a filter of silence stands before it.
  const beforeFirst = taps / 2 - 1;
  // Of the streams that share the filter each has what it has not used up: less than a window of one output sample.
  const rest = new Float32Array(taps);
  let filled = beforeFirst;
  let output = new Float32Array(4096);
  let phase = 0;
  let taken = 0;
  let given = 0;

  /** So many at once that neither the window nor the output overflows. */
  const mostInput = Math.max(1, Math.floor(Math.min(filter.mostWindow - taps, (filter.mostOutput - 2) * (down / up))));

  function push(samples: Float32Array): Float32Array {
    const most = Math.ceil((samples.length * up) / down) + 2;
    if (output.length < most) output = new Float32Array(most);
    let count = 0;
    for (let at = 0; at < samples.length; at += mostInput) {
      const result = step(samples.subarray(at, at + mostInput));
      output.set(result, count);
      count += result.length;
    }
    return output.subarray(0, count);
  }

  function step(samples: Float32Array): Float32Array {
    const { window } = filter;
    window.set(rest.subarray(0, filled));
    window.set(samples, filled);
    filled += samples.length;
    const count = Math.max(0, Math.ceil(((filled - taps + 1) * up - phase) / down));
    const result = filter.run(phase, count);
    const consumed = Math.floor((phase + count * down) / up);
    phase = (phase + count * down) % up;
    rest.set(window.subarray(consumed, filled));
    filled -= consumed;
    return result;
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
      rest.fill(0);
      filled = beforeFirst;
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
