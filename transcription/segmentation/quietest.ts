/** Over so many steps to either side levels are averaged where a cut has to be made in speech. */
export const SMOOTHING_STEPS = 9;

/** The last of the places between `from` and `to`, both included, around which the levels are lowest. */
export function quietestPlace(levels: ArrayLike<number>, from: number, to: number): number {
  let best = to;
  let lowest = Number.POSITIVE_INFINITY;
  for (let at = from; at <= to; at++) {
    let sum = 0;
    for (let i = -SMOOTHING_STEPS; i < SMOOTHING_STEPS; i++) sum += levels[at + i] ?? 0;
    if (sum <= lowest) [best, lowest] = [at, sum];
  }
  return best;
}
