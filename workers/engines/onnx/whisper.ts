/** Analysis frames, a quarter of which passes from one to the next. */
const FRAME_MS = 24;
const HOPS_PER_FRAME = 4;

/** Poles of the vocal tract's model: two for each 1000 Hz of the band, and a few for the slope. */
const POLES_PER_KHZ = 2;

/** Widens the model's peaks a little, so that noise through them does not ring. */
const BANDWIDTH = 0.985;
const WHITE_NOISE_CORRECTION = 1.0005;

/** A whisper is darker in no part but softer: its breath is this much quieter than the voice that it stands for. */
const LEVEL = 0.7;

/**
 * Audio in which breath does what the vibration of the voice did: linear prediction, what it leaves replaced by noise
 * of the same energy. Full scale is 1; equal audio gives equal audio.
 */
export function whispered(audio: Float32Array, sampleRate: number): Float32Array {
  const hop = Math.round(((FRAME_MS / 1000) * sampleRate) / HOPS_PER_FRAME);
  const size = hop * HOPS_PER_FRAME;
  const order = Math.round((sampleRate / 2000) * POLES_PER_KHZ) + 4;
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / size));
  const noise = breath(audio.length + 2 * size);
  const result = new Float32Array(audio.length);
  const frame = new Float64Array(size);
  for (let start = -size + hop; start < audio.length; start += hop) {
    for (let i = 0; i < size; i++) frame[i] = (window[i] ?? 0) * emphasized(audio, start + i);
    const model = predict(frame, order);
    if (model === null) continue;
    addBreath(result, { start, model, window, noise });
  }
  return deemphasized(result);
}

interface Model {
  /** Prediction coefficients; the first is 1. */
  coefficients: Float64Array;
  /** Root mean square of what they leave unpredicted. */
  residual: number;
}

/**
 * First difference: levels the voice's slope, which the breath lacks, so that the model spends its poles on the
 * formants.
 */
function emphasized(audio: Float32Array, at: number): number {
  return (audio[at] ?? 0) - 0.9 * (audio[at - 1] ?? 0);
}

/** Half of the emphasis is undone: a whisper keeps a flatter spectrum than the voice. */
function deemphasized(audio: Float32Array): Float32Array {
  let before = 0;
  return audio.map((value) => {
    before = LEVEL * value + 0.6 * before;
    return before;
  });
}

/** Levinson and Durbin's recursion; null for silence. */
function predict(frame: Float64Array, order: number): Model | null {
  const correlation = new Float64Array(order + 1);
  for (let lag = 0; lag <= order; lag++) {
    let sum = 0;
    for (let i = lag; i < frame.length; i++) sum += (frame[i] ?? 0) * (frame[i - lag] ?? 0);
    correlation[lag] = sum;
  }
  let error = (correlation[0] ?? 0) * WHITE_NOISE_CORRECTION;
  if (error < 1e-9) return null;
  const coefficients = new Float64Array(order + 1);
  coefficients[0] = 1;
  for (let i = 1; i <= order; i++) {
    let sum = correlation[i] ?? 0;
    for (let j = 1; j < i; j++) sum += (coefficients[j] ?? 0) * (correlation[i - j] ?? 0);
    const reflection = -sum / error;
    const before = coefficients.slice();
    for (let j = 1; j < i; j++) coefficients[j] = (before[j] ?? 0) + reflection * (before[i - j] ?? 0);
    coefficients[i] = reflection;
    error *= 1 - reflection * reflection;
  }
  let factor = 1;
  for (let i = 1; i <= order; i++) {
    factor *= BANDWIDTH;
    coefficients[i] = (coefficients[i] ?? 0) * factor;
  }
  return { coefficients, residual: Math.sqrt(Math.max(0, error) / frame.length) };
}

/** Noise through the frame's model, faded in and out so that overlapping frames add up. */
function addBreath(
  result: Float32Array,
  { start, model, window, noise }: { start: number; model: Model; window: Float64Array; noise: Float32Array },
): void {
  const { coefficients, residual } = model;
  const size = window.length;
  const order = coefficients.length - 1;
  const past = new Float64Array(size);
  // Windows overlap so that their sum is constant; the analysis window took 3/8 of the energy.
  const gain = (residual / Math.sqrt(3 / 8)) * (2 / HOPS_PER_FRAME) * Math.sqrt(HOPS_PER_FRAME / 2);
  for (let i = 0; i < size; i++) {
    let value = (noise[start + size + i] ?? 0) * gain;
    for (let j = 1; j <= Math.min(order, i); j++) value -= (coefficients[j] ?? 0) * (past[i - j] ?? 0);
    past[i] = value;
    const at = start + i;
    if (at >= 0 && at < result.length) result[at] = (result[at] ?? 0) + value * (window[i] ?? 0);
  }
}

/** White noise of unit power that is the same in every run: equal chunks must give equal samples. */
function breath(length: number): Float32Array {
  let state = 0x2545f491;
  return Float32Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state / 2 ** 31) * Math.sqrt(3);
  });
}
