/** Mean level of audio, full scale 1. */
export function level(samples: ArrayLike<number>): number {
  let energy = 0;
  for (let i = 0; i < samples.length; i++) energy += ((samples[i] ?? 0) / 32768) ** 2;
  return Math.sqrt(energy / Math.max(1, samples.length));
}

/**
 * How far one audio is from another, decibels below the latter, after it was made as loud (piper makes every sentence
 * as loud as it can be). Both have one rate and end together: the engine leaves silence at the beginning out.
 */
export function differenceDb(audio: ArrayLike<number>, reference: ArrayLike<number>): number {
  let [own, both, its] = [0, 0, 0];
  for (let fromEnd = 1; fromEnd <= Math.min(audio.length, reference.length); fromEnd++) {
    const [a, b] = [audio[audio.length - fromEnd] ?? 0, reference[reference.length - fromEnd] ?? 0];
    own += a * a;
    both += a * b;
    its += b * b;
  }
  const gain = own === 0 ? 0 : both / own;
  const difference = Math.max(0, its - 2 * gain * both + gain * gain * own);
  return 10 * Math.log10(difference / its);
}
