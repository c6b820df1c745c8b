/** How long an amount of service counts: about as fast as load changes. */
const TIME_CONSTANT_MS = 2000;

/** Which part of the time something was served lately: an exponentially weighted mean. */
export class Utilization {
  #value = 0;
  #atMs = 0;

  add(serviceMs: number, nowMs: number): void {
    this.#value = this.at(nowMs) + serviceMs / TIME_CONSTANT_MS;
    this.#atMs = nowMs;
  }

  /** In slots: 2 is two of them all the time. */
  at(nowMs: number): number {
    return this.#value * Math.exp(-Math.max(0, nowMs - this.#atMs) / TIME_CONSTANT_MS);
  }
}
