import type { StreamEvent } from "../stream/stream-event.js";
import type { FirstAudioParts } from "../metrics.js";

/**
 * Measures the way to the first audio of a spoken request, part by part (metrics.ts draws it). Times are of one clock,
 * milliseconds.
 */
export class FirstAudio {
  #textArrivedAtMs: number | null = null;
  #submittedAtMs: number | null = null;
  #frameAtMs = 0;
  #inside: { queueMs: number; engineMs: number; returnMs: number } | null = null;
  #totalMs: number | null = null;

  /** From the text's arrival to the first bytes; null until then. */
  get totalMs(): number | null {
    return this.#totalMs;
  }

  /**
   * The first chunk was made from text that arrived at `textArrivedAtMs`, and has been submitted. Later calls are
   * ignored.
   */
  submitted(textArrivedAtMs: number, nowMs: number): void {
    if (this.#submittedAtMs !== null) return;
    this.#textArrivedAtMs = textArrivedAtMs;
    this.#submittedAtMs = nowMs;
  }

  firstFrame(event: Extract<StreamEvent, { type: "first-frame" }>, nowMs: number): void {
    if (this.#inside !== null) return;
    this.#frameAtMs = nowMs;
    const [queueMs, engineMs] = [event.queuedUs / 1000, event.engineUs / 1000];
    this.#inside = { queueMs, engineMs, returnMs: Math.max(0, event.roundTripMs - queueMs - engineMs) };
  }

  /** The first bytes left; gives the parts, once. */
  firstBytes(nowMs: number): { totalMs: number; parts: FirstAudioParts } | null {
    if (this.#totalMs !== null || this.#textArrivedAtMs === null || this.#submittedAtMs === null) return null;
    this.#totalMs = nowMs - this.#textArrivedAtMs;
    if (this.#inside === null) return null;
    const parts = {
      parseMs: this.#submittedAtMs - this.#textArrivedAtMs,
      ...this.#inside,
      encodeMs: nowMs - this.#frameAtMs,
    };
    return { totalMs: this.#totalMs, parts };
  }
}
