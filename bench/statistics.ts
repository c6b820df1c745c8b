/** The figures that latency tables show, in the unit of the values. */
export interface Spread {
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** Nearest-rank percentile, `part` from 0 to 1; NaN of nothing. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

export function spread(values: readonly number[]): Spread {
  return {
    p50: percentile(values, 0.5),
    p95: percentile(values, 0.95),
    p99: percentile(values, 0.99),
    max: percentile(values, 1),
  };
}

/** One figure of several rounds: the middle one, and how far the rounds lay apart. */
export function overRounds(values: readonly number[]): { median: number; min: number; max: number } {
  return { median: percentile(values, 0.5), min: percentile(values, 0), max: percentile(values, 1) };
}
