import type { DialogueSettings } from "./settings.js";

/** Of the time until it hangs up: the agent speaks up twice in it, and there is no time for a third. */
const REENGAGE_SHARE = 0.4;

/** The agent never speaks up sooner. */
const MIN_REENGAGE_MS = 8000;

/** What the caller gets to answer the agent that has just spoken up. */
const ANSWER_MS = 5000;

/** Measures silence. It counts while neither side speaks nor anything is being worked on: who asks, knows. */
export class Silence {
  readonly #settings: DialogueSettings;
  /** Since when the caller owes an answer. */
  #callerSinceMs: number;
  /** Since when nobody speaks. */
  #bothSinceMs: number;
  #notBeforeMs: number;

  constructor(settings: DialogueSettings, nowMs: number) {
    this.#settings = settings;
    this.#callerSinceMs = nowMs;
    this.#bothSinceMs = nowMs;
    this.#notBeforeMs = nowMs;
  }

  get bothSinceMs(): number {
    return this.#bothSinceMs;
  }

  /** The caller said or did something. */
  callerActed(nowMs: number): void {
    this.#callerSinceMs = nowMs;
    this.#bothSinceMs = nowMs;
  }

  /** Somebody made a noise that was nothing. */
  noise(nowMs: number): void {
    this.#bothSinceMs = nowMs;
  }

  /** The agent has finished speaking; a check on the caller does not count as conversation. */
  agentSpoke(isCheck: boolean, nowMs: number): void {
    this.#bothSinceMs = nowMs;
    if (isCheck) this.#notBeforeMs = nowMs + ANSWER_MS;
    else this.#callerSinceMs = nowMs;
  }

  hangUpAtMs(): number {
    return Math.max(this.#callerSinceMs + this.#settings.hangUpAfterMs, this.#notBeforeMs);
  }

  /** Infinity for an agent that never speaks up. */
  reengageAtMs(): number {
    const { reengages, hangUpAfterMs } = this.#settings;
    if (!reengages) return Number.POSITIVE_INFINITY;
    return this.#bothSinceMs + Math.max(MIN_REENGAGE_MS, hangUpAfterMs * REENGAGE_SHARE);
  }
}
