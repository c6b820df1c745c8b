/** A sine of `amplitude` (1 is full scale). */
export function tone(frequencyHz: number, seconds: number, sampleRate: number, amplitude = 0.5): Int16Array {
  const samples = new Int16Array(Math.round(seconds * sampleRate));
  for (let i = 0; i < samples.length; i++) {
    samples[i] = Math.round(32767 * amplitude * Math.sin((2 * Math.PI * frequencyHz * i) / sampleRate));
  }
  return samples;
}

/** Uniform noise from a fixed generator, so that a failing case can be run again. */
export function noise(count: number, amplitude: number, seed = 1): Int16Array {
  const samples = new Int16Array(count);
  let state = seed >>> 0;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    samples[i] = Math.round((state / 2 ** 31 - 1) * 32767 * amplitude);
  }
  return samples;
}

/** Least-squares fit of a sine: its amplitude (1 is full scale), and how far it stands above everything else, dB. */
export function fitTone(
  samples: ArrayLike<number>,
  frequencyHz: number,
  sampleRate: number,
): { amplitude: number; signalToNoiseDb: number } {
  let [xc, xs, cc, ss, cs, energy] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i] as number;
    const angle = (2 * Math.PI * frequencyHz * i) / sampleRate;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    xc += x * c;
    xs += x * s;
    cc += c * c;
    ss += s * s;
    cs += c * s;
    energy += x * x;
  }
  const determinant = cc * ss - cs * cs;
  const a = (xc * ss - xs * cs) / determinant;
  const b = (xs * cc - xc * cs) / determinant;
  const fitted = a * xc + b * xs;
  return {
    amplitude: Math.hypot(a, b) / 32768,
    signalToNoiseDb: 10 * Math.log10(fitted / Math.max(energy - fitted, 1e-12)),
  };
}
