import type { DialStatus } from "#protocol/webhooks";
import type { Clock } from "#common/clock";
import { DialRefused } from "#common/livekit/livekit-dialer";
import type { LineLoss } from "../room/room.js";
import { dialStatusOf, dialStatusOfLoss } from "./dial-status.js";

export interface DialingOptions {
  clock: Clock;
  ringMs: number;
  /** Whether this runtime or an earlier one may have dialed: then nobody does it again. */
  hasDialed: boolean;
  /** Writes that the call is about to be dialed; resolves when that is stored. */
  recordDialing(): Promise<void>;
  /** Calls; resolves when the call is answered. */
  dial(): Promise<void>;
  /** What became of it. Called once at most. */
  onResolved(status: DialStatus, detail: string | null): void;
}

/** A line that is nowhere to be seen so long after the dial, or after another runtime took over, is not there. */
const ABSENT_MS = 8000;
/** The answer to the request says more than the room does, and may come a moment later. */
const ANSWER_MS = 2000;
/** What a call may take to get somewhere, besides the time that it rings. */
const SETUP_MS = 15_000;

/**
 * One outbound call until it is answered or not. It is dialed once: after the record that says so nobody dials again,
 * also where a runtime died between the record and the dial. Whoever takes over watches the room.
 */
export class Dialing {
  readonly #options: DialingOptions;
  readonly #timers = new Set<() => void>();
  #isOver = false;
  #isAsking = false;
  #isSeen = false;

  constructor(options: DialingOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    const { hasDialed, ringMs } = this.#options;
    this.#after(ringMs + SETUP_MS, () => this.#resolve("no_answer", "nobody answered in time"));
    if (hasDialed) return this.#expectLine();
    await this.#options.recordDialing();
    if (this.#isOver) return;
    this.#isAsking = true;
    try {
      await this.#options.dial();
      this.#resolve("answered", null);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof DialRefused) this.#resolve(dialStatusOf(error.sipStatus), message);
      else this.#expectLine(message);
    } finally {
      this.#isAsking = false;
    }
  }

  /** The line is in the room, and rings or is answered. */
  seen(): void {
    this.#isSeen = true;
  }

  /** The line is answered. */
  answered(): void {
    this.#resolve("answered", null);
  }

  /** The line left the room unanswered. */
  lost(loss: LineLoss): void {
    const resolve = (): void => this.#resolve(dialStatusOfLoss(loss), `the line was lost: ${loss}`);
    if (this.#isAsking) this.#after(ANSWER_MS, resolve);
    else resolve();
  }

  /** Watches no more, and resolves nothing. */
  close(): void {
    this.#isOver = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #expectLine(detail = "nobody knows what became of the dial"): void {
    this.#after(ABSENT_MS, () => {
      if (!this.#isSeen) this.#resolve("failed", detail);
    });
  }

  #after(delayMs: number, work: () => void): void {
    if (!this.#isOver) this.#timers.add(this.#options.clock.after(delayMs, work));
  }

  #resolve(status: DialStatus, detail: string | null): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onResolved(status, detail);
  }
}
