const WINDOW = 64;
/** Sorting at every measurement would cost more than the freshness is worth. */
const REFRESH_EVERY = 8;

/** The p95 of the last prediction errors. */
export class ResidualQuantile {
  readonly #recent: number[] = [];
  #seen = 0;
  #p95 = 0;

  /** How far above a prediction 95 of 100 measurements stay, at least 0. */
  p95(): number {
    return this.#p95;
  }

  observe(residual: number): void {
    this.#recent[this.#seen % WINDOW] = residual;
    this.#seen += 1;
    if (this.#seen > REFRESH_EVERY && this.#seen % REFRESH_EVERY !== 0) return;
    const sorted = [...this.#recent].sort((a, b) => a - b);
    this.#p95 = Math.max(0, sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0);
  }
}
