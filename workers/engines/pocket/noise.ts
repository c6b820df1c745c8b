import type { Sampling } from "#protocol/speech/chunk";
import { randomNumbers } from "../sampling.js";

/** How much of the noise `top_p` cuts off at both ends: all but the middle 99 % stays at the default of 0.7. */
const CUT_POWER = 4;

/**
 * The noise that speech is made from: normal, with the temperature as its variance, drawn from a seed. `topP` keeps the
 * middle of the distribution, all of it at 1; nothing is drawn twice, so there is nothing to penalize.
 */
export function latentNoise(seed: number, { temperature, topP }: Sampling): (values: number) => Float32Array {
  const random = randomNumbers(seed);
  const deviation = Math.sqrt(temperature);
  const kept = 1 - (1 - topP) ** CUT_POWER;
  return (values) =>
    Float32Array.from({ length: values }, () => {
      const share = (1 - kept) / 2 + kept * random();
      // 0 and 1 have no quantile.
      return deviation * normalQuantile(Math.min(1 - 1e-9, Math.max(1e-9, share)));
    });
}

/** Coefficients of P. J. Acklam's rational approximation, relative error below 1.2e-9. */
const a = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
];
const b = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1, 1,
];
const c = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const d = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1];
const TAIL = 0.02425;

/** The value below which this share of a standard normal distribution lies. */
export function normalQuantile(share: number): number {
  if (share > 1 - TAIL) return -normalQuantile(1 - share);
  if (share < TAIL) {
    const q = Math.sqrt(-2 * Math.log(share));
    return polynomial(c, q) / polynomial(d, q);
  }
  const q = share - 0.5;
  return (q * polynomial(a, q * q)) / polynomial(b, q * q);
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}
