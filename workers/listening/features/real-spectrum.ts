import { bitReversal, transform } from "#common/audio/voice/power-spectrum";

/** Power at `size / 2 + 1` frequencies of a frame of `size` real values; the result is valid until the next call. */
export type RealSpectrum = (frame: Float64Array) => Float64Array;

/**
 * Power spectrum of real frames by a transform of half their size: even values as real parts, odd ones as imaginary parts, told apart
 * afterwards by symmetry. `size` is a power of two.
 */
export function createRealSpectrum(size: number): RealSpectrum {
  const half = size / 2;
  const reversed = bitReversal(half);
  const cosines = Float64Array.from({ length: half / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / half));
  const sines = Float64Array.from({ length: half / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / half));
  const turnCosines = Float64Array.from({ length: half + 1 }, (_, k) => Math.cos((2 * Math.PI * k) / size));
  const turnSines = Float64Array.from({ length: half + 1 }, (_, k) => -Math.sin((2 * Math.PI * k) / size));
  const real = new Float64Array(half);
  const imaginary = new Float64Array(half);
  const power = new Float64Array(half + 1);
  return (frame) => {
    for (let i = 0; i < half; i++) {
      const at = reversed[i] as number;
      real[at] = frame[2 * i] as number;
      imaginary[at] = frame[2 * i + 1] as number;
    }
    transform(real, imaginary, cosines, sines);
    for (let k = 0; k <= half; k++) {
      const low = k === half ? 0 : k;
      const high = k === 0 ? 0 : half - k;
      const lr = real[low] as number;
      const li = imaginary[low] as number;
      const hr = real[high] as number;
      const hi = imaginary[high] as number;
      // The even part is (Z[k] + conj Z[-k]) / 2, the odd part (Z[k] - conj Z[-k]) / 2i, turned by k steps of the full circle.
      const oddReal = (li + hi) / 2;
      const oddImaginary = (hr - lr) / 2;
      const c = turnCosines[k] as number;
      const s = turnSines[k] as number;
      const re = (lr + hr) / 2 + oddReal * c - oddImaginary * s;
      const im = (li - hi) / 2 + oddReal * s + oddImaginary * c;
      power[k] = re * re + im * im;
    }
    return power;
  };
}
