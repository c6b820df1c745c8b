import { Heap } from "./heap.js";

/** Time as the code that decides sees it. Passed in, so that schedulers and retries run in virtual time. */
export interface Clock {
  /** Milliseconds on a clock that never jumps; only differences mean anything. */
  nowMs(): number;
  /** Runs `callback` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The machine's monotonic clock. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * The time of day, `epochMs` at first, that goes on as `clock` does: what it stamps is as far apart as it was, also where
 * the machine's time of day is set meanwhile. Milliseconds since 1970.
 */
export function steadyTimeOfDay(clock: Clock, epochMs: number): () => number {
  const sinceMs = clock.nowMs();
  return () => epochMs + Math.round(clock.nowMs() - sinceMs);
}

/** A clock that stands still until `advance` is called; timers fire in order of their time, then of their creation. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #sequence = 0;
  readonly #timers = new Heap<VirtualTimer>((a, b) => (a.atMs === b.atMs ? a.sequence < b.sequence : a.atMs < b.atMs));

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const entry = this.#timers.push({ atMs: this.#nowMs + Math.max(0, delayMs), sequence: this.#sequence++, callback });
    return () => {
      this.#timers.remove(entry);
    };
  }

  /** Moves time forward by `durationMs`, firing what falls due, timers set meanwhile included. */
  advance(durationMs: number): void {
    const untilMs = this.#nowMs + durationMs;
    for (;;) {
      const next = this.#timers.peek();
      if (next === undefined || next.atMs > untilMs) break;
      this.#timers.pop();
      this.#nowMs = next.atMs;
      next.callback();
    }
    this.#nowMs = untilMs;
  }
}

interface VirtualTimer {
  atMs: number;
  sequence: number;
  callback: () => void;
}
