/** Weight that the prior keeps against measurements, in measurements. */
const PRIOR_WEIGHT = 2;
/** What one measurement's weight shrinks by when the next arrives: about the last 200 count. */
const FORGETTING = 0.995;

/**
 * Recursive least squares for y = a + b·x, in information form: five running sums, solved when asked.
 * The prior is a constant ridge, so equal x for hours cannot blow the estimate up.
 * a and b stay non-negative: an engine call never takes less time for more work.
 */
export class LeastSquaresLine {
  readonly #priorA: number;
  readonly #priorB: number;
  readonly #scale: number;
  #weight = 0;
  #sumX = 0;
  #sumY = 0;
  #sumXX = 0;
  #sumXY = 0;
  #solution: { a: number; b: number };

  /** `scale` is a typical x: it makes the ridge on b comparable to the one on a. */
  constructor(prior: { a: number; b: number; scale: number }) {
    this.#priorA = prior.a;
    this.#priorB = prior.b;
    this.#scale = prior.scale;
    this.#solution = { a: prior.a, b: prior.b };
  }

  at(x: number): number {
    return this.#solution.a + this.#solution.b * x;
  }

  /** Lets all measurements so far count that much less against those that follow. */
  fade(rest: number): void {
    this.#weight *= rest;
    this.#sumX *= rest;
    this.#sumY *= rest;
    this.#sumXX *= rest;
    this.#sumXY *= rest;
  }

  observe(x: number, y: number): void {
    this.fade(FORGETTING);
    this.#weight += 1;
    this.#sumX += x;
    this.#sumY += y;
    this.#sumXX += x * x;
    this.#sumXY += x * y;
    this.#solution = this.#solve();
  }

  #solve(): { a: number; b: number } {
    const ridgeB = PRIOR_WEIGHT * this.#scale * this.#scale * 0.01;
    const ridgeA = PRIOR_WEIGHT * 0.01;
    const n = this.#weight + ridgeA;
    const xx = this.#sumXX + ridgeB;
    const y = this.#sumY + ridgeA * this.#priorA;
    const xy = this.#sumXY + ridgeB * this.#priorB;
    const determinant = n * xx - this.#sumX * this.#sumX;
    const a = (y * xx - this.#sumX * xy) / determinant;
    const b = (n * xy - this.#sumX * y) / determinant;
    if (b < 0) return { a: Math.max(0, y / n), b: 0 };
    if (a < 0) return { a: 0, b: Math.max(0, xy / xx) };
    return { a, b };
  }
}
