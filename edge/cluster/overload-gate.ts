import { ServiceError } from "#protocol/errors";
import type { Clock } from "#common/clock";

/**
 * A refusal answers for those that come in the next so many milliseconds: about as fast as the cluster's load changes.
 */
const MEMORY_MS = 100;

/**
 * Remembers for a moment that the cluster had no room for new work of a kind. Under overload most requests are refused;
 * this way they do not go to a scheduler first, and the processor that they would take is left to the work that was
 * admitted.
 */
export class OverloadGate {
  readonly #clock: Clock;
  readonly #refused = new Map<string, { atMs: number; retryAfterMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `overloaded` when a scheduler refused work of this kind a moment ago. */
  check(kind: string): void {
    const refused = this.#refused.get(kind);
    if (refused === undefined) return;
    const agoMs = this.#clock.nowMs() - refused.atMs;
    if (agoMs < Math.min(MEMORY_MS, refused.retryAfterMs))
      throw new ServiceError("overloaded", { retryAfterMs: refused.retryAfterMs });
    this.#refused.delete(kind);
  }

  /** Takes why work of this kind failed before anything was given. */
  note(kind: string, error: unknown): void {
    if (!(error instanceof ServiceError) || error.code !== "overloaded") return;
    this.#refused.set(kind, { atMs: this.#clock.nowMs(), retryAfterMs: error.retryAfterMs ?? MEMORY_MS });
  }
}
