/** Half width of the interpolation kernel, in zero crossings. */
const HALF_WIDTH = 12;

/**
 * Raises the pitch by `ratio` by playing the audio `ratio` times as fast (band-limited interpolation, so nothing folds
 * back). The audio becomes that much shorter: the voice must be asked to speak that much slower before.
 */
export function changePitch(audio: Float32Array, ratio: number): Float32Array {
  if (ratio === 1) return audio;
  const result = new Float32Array(Math.floor(audio.length / ratio));
  // Playing faster moves frequencies up: those that would pass half the rate are cut.
  const cutoff = Math.min(1, 1 / ratio);
  const reach = HALF_WIDTH / cutoff;
  for (let i = 0; i < result.length; i++) {
    const centre = i * ratio;
    const first = Math.max(0, Math.ceil(centre - reach));
    const last = Math.min(audio.length - 1, Math.floor(centre + reach));
    let value = 0;
    for (let k = first; k <= last; k++) {
      const x = (k - centre) * cutoff;
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
      value += (audio[k] ?? 0) * sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / HALF_WIDTH));
    }
    result[i] = value * cutoff;
  }
  return result;
}
