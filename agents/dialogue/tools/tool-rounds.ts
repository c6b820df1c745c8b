import { FILLER_AFTER_MS, MAX_ROUNDS } from "./tool-policy.js";

/** Counts the rounds of tool calls of one turn, and the wait for them. */
export class ToolRounds {
  #rounds = 0;
  #fillerAtMs = Number.POSITIVE_INFINITY;

  /** When the caller should be told that it takes a moment; infinity when nothing is to be said. */
  get fillerAtMs(): number {
    return this.#fillerAtMs;
  }

  beginTurn(): void {
    this.#rounds = 0;
    this.filled();
  }

  /** Begins a round; false where the turn has had enough of them. `isSilent`: the agent has said nothing yet. */
  begin(isSilent: boolean, nowMs: number): boolean {
    if (++this.#rounds > MAX_ROUNDS) return false;
    // What the model said before a call is filler enough.
    if (!isSilent) this.filled();
    else if (this.#rounds === 1) this.#fillerAtMs = nowMs + FILLER_AFTER_MS;
    return true;
  }

  /** The caller knows. */
  filled(): void {
    this.#fillerAtMs = Number.POSITIVE_INFINITY;
  }
}
