/** Root mean square of samples; 1 is full scale, and 0 is what no samples have. */
export function loudnessOf(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += (sample / 32_768) ** 2;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}
