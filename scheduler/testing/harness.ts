import type { Batch, Verdict } from "#protocol/bus/scheduling";
import type { decide } from "../batching/decide.js";
import type { SchedulerEvent } from "../core/events.js";
import { SchedulerCore } from "../core/scheduler-core.js";
import type { SchedulingPolicy } from "../policy.js";
import { done, policyWith } from "./fixtures.js";

/** One core in virtual time, with everything it has sent. */
export class CoreHarness {
  readonly core: SchedulerCore;
  nowMs = 0;
  readonly batches: { workerId: string; batch: Batch }[] = [];
  readonly cancels: { workerId: string; streamId: string; fromChunk: number }[] = [];
  readonly verdicts: (Verdict & { ownerId: string })[] = [];
  readonly faults: unknown[] = [];

  constructor(options: { policy?: Partial<SchedulingPolicy>; decide?: typeof decide; id?: string } = {}) {
    const schedulerId = options.id ?? "scheduler-1";
    this.core = new SchedulerCore({
      schedulerId,
      epoch: `${schedulerId}-a`,
      policy: policyWith(options.policy),
      decide: options.decide,
    });
  }

  send(...events: SchedulerEvent[]): void {
    for (const event of events) {
      const { effects, faults } = this.core.handle(event, this.nowMs);
      this.faults.push(...faults);
      for (const effect of effects) {
        if (effect.to === "edge") this.verdicts.push({ ...effect.message, ownerId: effect.ownerId });
        else if (effect.message.type === "batch")
          this.batches.push({ workerId: effect.workerId, batch: effect.message });
        else
          this.cancels.push({
            workerId: effect.workerId,
            streamId: effect.message.streamId,
            fromChunk: effect.message.fromChunk,
          });
      }
    }
  }

  /** Moves time on, ticking whenever the core asked for it. */
  advance(durationMs: number): void {
    const untilMs = this.nowMs + durationMs;
    for (;;) {
      const wakeMs = this.core.nextWakeMs();
      if (wakeMs === null || wakeMs > untilMs) break;
      this.nowMs = Math.max(this.nowMs, wakeMs);
      this.send({ type: "tick" });
    }
    this.nowMs = untilMs;
  }

  /** Lets the worker of the last batch, or of the one at `index`, finish it. */
  finish(index = -1): void {
    const sent = this.batches.at(index);
    if (sent === undefined) throw new RangeError(`no batch ${index} has been sent`);
    this.send(done(sent.workerId, sent.batch));
  }

  /** The chunks dispatched so far, as "stream/index", in order. */
  dispatched(): string[] {
    return this.batches.flatMap(({ batch }) =>
      batch.chunks.map(({ chunk }) => `${chunk.streamId}/${chunk.chunkIndex}`),
    );
  }

  /**
   * Finishes batch after batch, each after `serviceMs`, until nothing runs; gives the order of service. One slot only.
   */
  drainInOrder(serviceMs = 10): string[] {
    for (let index = 0; index < this.batches.length; index += 1) {
      const sent = this.batches[index];
      if (sent === undefined) break;
      this.advance(serviceMs);
      this.send(done(sent.workerId, sent.batch));
    }
    return this.dispatched();
  }
}
