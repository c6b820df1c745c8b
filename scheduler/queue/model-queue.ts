import { Heap } from "#common/heap";
import { homeLane, type Lane, laneOf, lanes } from "./lane.js";
import { comesBefore, type WaitingChunk } from "./waiting-chunk.js";

/** How much stands in one lane. */
export interface LaneTotals {
  chunks: number;
  size: number;
}

/** The lanes of one model. Every stream stands here at most once. */
export class ModelQueue {
  readonly #heaps: Record<Lane, Heap<WaitingChunk>>;
  readonly totals: Record<Lane, LaneTotals>;
  readonly #yieldSlackMs: number;

  constructor(yieldSlackMs: number) {
    this.#yieldSlackMs = yieldSlackMs;
    const each = <T>(make: () => T): Record<Lane, T> => ({
      first: make(),
      urgent: make(),
      free: make(),
      bulk: make(),
      ahead: make(),
    });
    this.#heaps = each(() => new Heap(comesBefore));
    this.totals = each(() => ({ chunks: 0, size: 0 }));
  }

  get isEmpty(): boolean {
    return lanes.every((lane) => this.#heaps[lane].size === 0);
  }

  enqueue(waiting: WaitingChunk, nowMs: number): void {
    this.#stand(waiting, laneOf(waiting.tier, waiting.chunk.chunkIndex, waiting.startByMs - nowMs, this.#yieldSlackMs));
  }

  remove(waiting: WaitingChunk): void {
    if (waiting.place === null) return;
    const { lane, entry } = waiting.place;
    this.#heaps[lane].remove(entry);
    this.totals[lane].chunks -= 1;
    this.totals[lane].size -= waiting.size;
    waiting.place = null;
  }

  /** Moves the streams whose audio has run low into their own lanes. */
  promote(nowMs: number): void {
    for (;;) {
      const next = this.#heaps.ahead.peek();
      if (next === undefined || next.startByMs - nowMs > this.#yieldSlackMs) return;
      this.remove(next);
      this.#stand(next, homeLane(next.tier, next.chunk.chunkIndex));
    }
  }

  head(lane: Lane): WaitingChunk | undefined {
    return this.#heaps[lane].peek();
  }

  /**
   * Up to `count` chunks in service order, starting in `from`: the lane whose turn it is comes before the stricter
   * ones.
   */
  lookAhead(from: Lane, count: number): WaitingChunk[] {
    const found = this.#heaps[from].smallest(count);
    for (const lane of lanes) {
      if (found.length >= count) break;
      if (lane !== from) found.push(...this.#heaps[lane].smallest(count - found.length));
    }
    return found;
  }

  #stand(waiting: WaitingChunk, lane: Lane): void {
    waiting.place = { lane, entry: this.#heaps[lane].push(waiting) };
    this.totals[lane].chunks += 1;
    this.totals[lane].size += waiting.size;
  }
}
