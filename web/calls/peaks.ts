/** The loudest sample of each of so many equal stretches, 0 to 1. */
export function peaksOf(samples: Float32Array, count: number): number[] {
  return Array.from({ length: count }, (_, at) => {
    const from = Math.floor((at * samples.length) / count);
    const to = Math.max(from + 1, Math.floor(((at + 1) * samples.length) / count));
    let peak = 0;
    for (let index = from; index < Math.min(to, samples.length); index++)
      peak = Math.max(peak, Math.abs(samples[index] as number));
    return Math.min(1, peak);
  });
}
