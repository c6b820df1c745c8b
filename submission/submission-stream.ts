import type { ChunkFailed } from "#protocol/bus/audio";
import { schedulerSubject, type Verdict } from "#protocol/bus/scheduling";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Submission } from "./submission.js";
import type { SubmissionMachine } from "./submission-machine.js";

export interface SubmissionStreamOptions {
  submissions: SubmissionMachine<Submission>;
  /** When the next tick is due; infinity when nothing waits for time. */
  nextWakeMs: (nowMs: number) => number;
  /** Called when a tick was due. */
  tick?: (nowMs: number) => void;
  /** Called after every input, when its messages have been sent. */
  afterInput?: () => void;
}

/** Runs the submissions of one stream on the bus and the clock: hands inputs in, sends messages, keeps the timer. */
export class SubmissionStream {
  readonly #options: SubmissionStreamOptions;
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #onClosed: () => void;
  #cancelTimer: (() => void) | null = null;
  #closed = false;

  constructor(options: SubmissionStreamOptions, runtime: { bus: Bus; clock: Clock; onClosed: () => void }) {
    this.#options = options;
    this.#bus = runtime.bus;
    this.#clock = runtime.clock;
    this.#onClosed = runtime.onClosed;
  }

  /** Hands an input to the machine and does what it leads to; nothing once the stream is closed. */
  input(input: (nowMs: number) => void): void {
    if (this.#closed) return;
    const nowMs = this.#clock.nowMs();
    input(nowMs);
    this.#send();
    this.#arm(nowMs);
    this.#options.afterInput?.();
  }

  failed(message: ChunkFailed): void {
    this.input((nowMs) => this.#options.submissions.failed(message, nowMs));
  }

  verdict(verdict: Verdict): void {
    this.input((nowMs) => this.#options.submissions.verdict(verdict, nowMs));
  }

  schedulerLost(schedulerId: string): void {
    this.input((nowMs) => this.#options.submissions.schedulerLost(schedulerId, nowMs));
  }

  reconnected(): void {
    this.input((nowMs) => this.#options.submissions.reconnected(nowMs));
  }

  /** Cancels what is still out, everywhere, and takes no more inputs. Harmless when repeated. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.submissions.cancelAll();
    this.#send();
    this.#cancelTimer?.();
    this.#onClosed();
  }

  #send(): void {
    for (const { schedulerId, message } of this.#options.submissions.takeMessages())
      this.#bus.publish(schedulerSubject(schedulerId), message);
  }

  #arm(nowMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const wakeMs = this.#options.nextWakeMs(nowMs);
    if (wakeMs === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#clock.after(Math.max(1, wakeMs - this.#clock.nowMs()), () =>
      this.input((tickMs) => {
        this.#options.submissions.tick(tickMs, this.#bus.isConnected());
        this.#options.tick?.(tickMs);
      }),
    );
  }
}
