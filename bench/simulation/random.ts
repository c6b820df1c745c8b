/** Random numbers that a seed repeats exactly. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform whole number in [0, count). */
  below(count: number): number;
  /** Exponentially distributed with the given mean. */
  exponential(mean: number): number;
}

/** A linear congruential generator on 48 bits (the constants of POSIX drand48). */
export function seededRandom(seed: number): Random {
  const mask = (1n << 48n) - 1n;
  let high = (seed ^ 0x5deec) >>> 0;
  let low = 0x330e;
  const step = (): number => {
    const state = (((BigInt(high) << 16n) | BigInt(low)) * 0x5deece66dn + 0xbn) & mask;
    high = Number(state >> 16n);
    low = Number(state & 0xffffn);
    return high / 2 ** 32;
  };
  return {
    next: step,
    below: (count) => Math.floor(step() * count),
    exponential: (mean) => -mean * Math.log(1 - step()),
  };
}
