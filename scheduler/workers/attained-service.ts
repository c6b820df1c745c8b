/**
 * Counts the service that a worker gives to each of its batches, in milliseconds of one slot. Batches beyond its slots
 * share them: those on reserved slots run beside the others on the same cores.
 */
export class AttainedService {
  #attainedMs = 0;
  #atMs = 0;

  /** Service that a batch would have had that ran all the time; call it before `running` changes. */
  advance(nowMs: number, { slots, running }: { slots: number; running: number }): number {
    const passedMs = Math.max(0, nowMs - this.#atMs);
    if (running > 0) this.#attainedMs += passedMs * Math.min(1, Math.max(1, slots) / running);
    this.#atMs = nowMs;
    return this.#attainedMs;
  }
}
