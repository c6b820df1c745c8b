import { MEMORY_MS } from "./memory.js";

const WINDOW = 64;
/** Sorting at every measurement would cost more than the freshness is worth. */
const REFRESH_EVERY = 8;

interface Residual {
  atMs: number;
  residual: number;
}

/** The p95 of the last prediction errors. */
export class ResidualQuantile {
  readonly #recent: Residual[] = [];
  #seen = 0;
  #p95 = 0;

  /** How far above a prediction 95 of 100 measurements stay, at least 0. */
  p95(): number {
    return this.#p95;
  }

  observe(residual: number, nowMs: number): void {
    this.#recent[this.#seen % WINDOW] = { atMs: nowMs, residual };
    this.#seen += 1;
    if (this.#seen > REFRESH_EVERY && this.#seen % REFRESH_EVERY !== 0) return;
    const sorted = this.#recent
      .filter(({ atMs }) => nowMs - atMs <= MEMORY_MS)
      .map((one) => one.residual)
      .sort((a, b) => a - b);
    this.#p95 = Math.max(0, sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0);
  }
}
