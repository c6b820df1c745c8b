import { randomFrom } from "../faults/control-plane/known.js";

/** Draws for a generator; the same ones for the same seed. */
export interface Draw {
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  one<T>(list: readonly T[]): T;
}

export function drawFrom(seed: number): Draw {
  const random = randomFrom(seed);
  return {
    chance: (probability) => random() < probability,
    integer: (min, max) => min + Math.floor(random() * (max - min + 1)),
    one: (list) => {
      const picked = list[Math.floor(random() * list.length)];
      if (picked === undefined) throw new RangeError("nothing to draw from");
      return picked;
    },
  };
}
