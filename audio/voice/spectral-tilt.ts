import { createRealSpectrum } from "../spectrum/real-spectrum.js";
import { ANALYSIS_RATE, HOP_SAMPLES } from "./levels.js";

const FRAME_SAMPLES = 1024;
/** Hann's. */
const window = Float64Array.from(
  { length: FRAME_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FRAME_SAMPLES),
);
const STEP_FRAMES = 3;
const TILT_LOWEST_HZ = 300;
const TILT_HIGHEST_HZ = 5000;
const BANDS_PER_OCTAVE = 3;

/**
 * Slope of the long-term spectrum in dB per octave: a line through the mean power density of third-octave bands, in dB,
 * over the frames that `speech` marks, from 300 Hz to 5 kHz or to `highestHz` where the recording holds less.
 */
export function spectralTilt(samples: Float32Array, speech: readonly boolean[], highestHz: number): number {
  const spectrum = createRealSpectrum(FRAME_SAMPLES);
  const total = new Float64Array(FRAME_SAMPLES / 2 + 1);
  for (let frame = 0; frame < speech.length; frame += STEP_FRAMES) {
    const from = frame * HOP_SAMPLES;
    if (!speech[frame] || from + FRAME_SAMPLES > samples.length) continue;
    spectrum(window.map((weight, i) => weight * (samples[from + i] as number))).forEach((power, bin) => {
      total[bin] = (total[bin] as number) + power;
    });
  }
  const octaves: number[] = [];
  const levels: number[] = [];
  const top = Math.min(TILT_HIGHEST_HZ, highestHz);
  const width = 2 ** (1 / BANDS_PER_OCTAVE);
  for (let low = TILT_LOWEST_HZ; low * width <= top * 1.01; low *= width) {
    const first = Math.ceil((low * FRAME_SAMPLES) / ANALYSIS_RATE);
    const last = Math.floor((low * width * FRAME_SAMPLES) / ANALYSIS_RATE);
    const band = total.subarray(first, last + 1);
    octaves.push(Math.log2(low) + 0.5 / BANDS_PER_OCTAVE);
    levels.push(10 * Math.log10(band.reduce((sum, power) => sum + power, 0) / band.length + 1e-12));
  }
  return slope(octaves, levels);
}

function slope(x: readonly number[], y: readonly number[]): number {
  const meanX = x.reduce((sum, value) => sum + value, 0) / x.length;
  const meanY = y.reduce((sum, value) => sum + value, 0) / y.length;
  const covariance = x.reduce((sum, value, i) => sum + (value - meanX) * ((y[i] as number) - meanY), 0);
  return covariance / x.reduce((sum, value) => sum + (value - meanX) ** 2, 0);
}
