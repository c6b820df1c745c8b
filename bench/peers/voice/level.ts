/** Mean level of audio, full scale 1. */
export function level(samples: ArrayLike<number>): number {
  let energy = 0;
  for (let i = 0; i < samples.length; i++) energy += ((samples[i] ?? 0) / 32768) ** 2;
  return Math.sqrt(energy / Math.max(1, samples.length));
}
