/**
 * Additive increase, multiplicative decrease of the batch size: the guard for when the latency model is wrong.
 * A call that took longer than its predicted p95 by half halves the limit; a full batch in time raises it by one.
 */
export class BatchLimit {
  #limit = Number.POSITIVE_INFINITY;

  /** The limit under the model's own bound, at least 1. */
  within(maxBatch: number): number {
    return Math.max(1, Math.min(maxBatch, Math.floor(this.#limit)));
  }

  observe(call: { batchSize: number; tookMs: number; predictedP95Ms: number }): void {
    if (call.tookMs > call.predictedP95Ms * 1.5) {
      if (call.batchSize > 1) this.#limit = Math.max(1, call.batchSize / 2);
    } else if (call.batchSize >= this.#limit) {
      this.#limit += 1;
    }
  }
}
