/** Power of a frame at `size / 2 + 1` frequencies from 0 to half the sample rate. */
export type PowerSpectrum = (samples: Float32Array, from: number) => Float64Array;

/**
 * Gives the power spectrum of Hann-windowed frames of `size` samples, a power of two. The result is valid until the
 * next call.
 */
export function createPowerSpectrum(size: number): PowerSpectrum {
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
  const cosines = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
  const reversed = bitReversal(size);
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  const power = new Float64Array(size / 2 + 1);
  return (samples, from) => {
    imaginary.fill(0);
    for (let i = 0; i < size; i++) real[reversed[i] as number] = (samples[from + i] as number) * (window[i] as number);
    transform(real, imaginary, cosines, sines);
    for (let i = 0; i < power.length; i++) power[i] = (real[i] as number) ** 2 + (imaginary[i] as number) ** 2;
    return power;
  };
}

/** Where each index goes when the order of its bits is turned round. */
function bitReversal(size: number): Uint32Array {
  const reversed = new Uint32Array(size);
  for (let i = 1; i < size; i++) reversed[i] = ((reversed[i >> 1] as number) >> 1) | (i & 1 ? size >> 1 : 0);
  return reversed;
}

/**
 * Fourier transform, radix-2 decimation in time, in place, on input in bit-reversed order; tables hold cos and -sin of
 * half a turn.
 */
function transform(real: Float64Array, imaginary: Float64Array, cosines: Float64Array, sines: Float64Array): void {
  const size = real.length;
  for (let half = 1; half < size; half *= 2) {
    const stride = size / (2 * half);
    for (let start = 0; start < size; start += 2 * half) {
      for (let k = 0; k < half; k++) {
        const a = start + k;
        const b = a + half;
        const wr = cosines[k * stride] as number;
        const wi = sines[k * stride] as number;
        const br = real[b] as number;
        const bi = imaginary[b] as number;
        const tr = br * wr - bi * wi;
        const ti = br * wi + bi * wr;
        real[b] = (real[a] as number) - tr;
        imaginary[b] = (imaginary[a] as number) - ti;
        real[a] = (real[a] as number) + tr;
        imaginary[a] = (imaginary[a] as number) + ti;
      }
    }
  }
}
