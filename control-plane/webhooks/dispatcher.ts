import type { Clock } from "#common/clock";
import { FailureNotice } from "#common/failure-notice";
import type { Logger } from "#common/log";
import {
  type AttemptOutcome,
  type DeliveryBook,
  type FinishedAttempt,
  nextStep,
  type TakenDelivery,
} from "./delivery.js";
import { latestFrom } from "../set-clock.js";
import { type DispatchLimits, dispatchLimits, InFlight } from "./under-way.js";
import type { SendWebhook } from "./send.js";

/** An attempt takes at most ten seconds; the rest is for booking it while the database is slow. */
export const LEASE_MS = 20_000;
/** How long something may lie due when no wake-up came. */
const LOOK_INTERVAL_MS = 1000;
const BOOK_AGAIN_MS = 500;
/** Between two looks: under load each then takes many deliveries at once, and a wait this short is not felt. */
const GATHER_DUE_MS = 20;
/**
 * Between two bookings. A booking is a transaction of six statements, which the embedded database does one at a time;
 * only the next event of a session waits for it. The first booking after a rest is not held up.
 */
const GATHER_DONE_MS = 100;
/** Attempts booked in one transaction. */
const BOOK_AT_ONCE = 256;
/** How often deliveries are looked for that wait for a time from before the clock was set back. */
const SET_BACK_INTERVAL_MS = 20_000;
const FORGET_INTERVAL_MS = 3_600_000;
/** How long the log of deliveries reaches back. */
const LOG_RETENTION_MS = 30 * 86_400_000;

export interface DispatcherOptions {
  book: DeliveryBook;
  send: SendWebhook;
  clock: Clock;
  now: () => Date;
  log: Logger;
  limits?: DispatchLimits;
}

/**
 * Takes due deliveries from the book, attempts all of them at once, and books what came of it. Nothing is known only
 * here: what is under way when the process dies is taken again by whoever looks after its lease has ended.
 */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #inFlight: InFlight;
  readonly #cancelTimers = new Map<string, () => void>();
  #unbooked: FinishedAttempt[] = [];
  #looking = false;
  #lookAgain = false;
  #booking = false;
  readonly #notice = new FailureNotice();
  #draining = false;
  #stopped = false;
  #idle: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#inFlight = new InFlight(options.limits ?? dispatchLimits);
    this.#every("look", LOOK_INTERVAL_MS, () => this.wake());
    this.#every("set-back", SET_BACK_INTERVAL_MS, () => void this.#bringForward());
    this.#every("forget", FORGET_INTERVAL_MS, () => void this.#purge());
    this.wake();
  }

  /** Looks for due deliveries now. */
  wake(): void {
    this.#lookAgain = true;
    if (!this.#looking) void this.#look();
  }

  /** Takes no more; resolves when everything under way is attempted and booked. */
  drain(): Promise<void> {
    this.#draining = true;
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Gives up what `drain` did not finish: it will be taken again. */
  stop(): void {
    this.#draining = true;
    this.#stopped = true;
    for (const cancel of this.#cancelTimers.values()) cancel();
    this.#cancelTimers.clear();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    try {
      while (this.#lookAgain && !this.#draining) {
        this.#lookAgain = false;
        const { deliveries: limit, busyEndpoints, busyTeams } = this.#inFlight.room(this.#options.clock.nowMs());
        if (limit === 0) break;
        const taken = await this.#options.book.take({
          now: this.#options.now(),
          leaseMs: LEASE_MS,
          limit,
          busyEndpoints,
          busyTeams,
        });
        for (const delivery of taken) void this.#attempt(delivery);
        if (taken.length === limit) this.#lookAgain = true;
        else await this.#gather("due", GATHER_DUE_MS);
      }
      this.#notice.clear();
    } catch (error) {
      // The next turn tries again; until then nothing is lost. Once is enough to say so.
      if (this.#notice.isNews(error))
        this.#options.log.error({ err: causeOf(error) }, "due webhook deliveries could not be read; trying on");
    } finally {
      this.#looking = false;
      this.#settleIfIdle();
    }
  }

  async #attempt(delivery: TakenDelivery): Promise<void> {
    const { send, clock, now, log } = this.#options;
    const [startedAt, startedMs] = [now(), clock.nowMs()];
    const attempt = this.#inFlight.begin(delivery, startedMs);
    let outcome: AttemptOutcome;
    try {
      outcome = await send(delivery);
    } catch (error) {
      log.error({ err: error, deliveryId: delivery.id }, "a webhook could not be sent");
      outcome = { statusCode: null, error: "Internal error" };
    }
    this.#inFlight.end(attempt, clock.nowMs());
    if (this.#stopped) return;
    this.#unbooked.push({
      ...outcome,
      delivery,
      startedAt,
      durationMs: clock.nowMs() - startedMs,
      next: nextStep(delivery, outcome, now()),
    });
    if (!this.#booking) void this.#bookAll();
  }

  /** One transaction at a time; what is finished meanwhile goes into the next one. */
  async #bookAll(): Promise<void> {
    this.#booking = true;
    while (this.#unbooked.length > 0 && !this.#stopped) {
      const attempts = this.#unbooked.slice(0, BOOK_AT_ONCE);
      try {
        await this.#options.book.finish(attempts, this.#options.now());
      } catch (error) {
        this.#options.log.error({ err: causeOf(error) }, "webhook attempts could not be booked yet");
        await this.#pause("book-again", BOOK_AGAIN_MS);
        continue;
      }
      this.#unbooked = this.#unbooked.slice(attempts.length);
      for (const { next } of attempts) if (next.status === "pending") this.#wakeAt(next.dueAt);
      this.wake();
      if (this.#unbooked.length < BOOK_AT_ONCE) await this.#gather("done", GATHER_DONE_MS);
    }
    this.#booking = false;
    this.#settleIfIdle();
  }

  /** Ends early when the dispatcher is stopped. */
  #pause(name: string, durationMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(durationMs, resolve);
      this.#cancelTimers.set(name, () => {
        cancel();
        resolve();
      });
    });
  }

  #gather(what: "due" | "done", durationMs: number): Promise<void> {
    return this.#draining ? Promise.resolve() : this.#pause(`gather ${what}`, durationMs);
  }

  #wakeAt(dueAt: Date): void {
    if (!this.#draining)
      this.#options.clock.after(Math.max(0, dueAt.getTime() - this.#options.now().getTime()), () => this.wake());
  }

  /** What was taken, or put off, is due within the longest lease or delay, however the clock is set meanwhile. */
  async #bringForward(): Promise<void> {
    const { book, now, log } = this.#options;
    try {
      await book.bringForward(latestFrom(now(), LEASE_MS), now());
    } catch (error) {
      log.warn({ err: causeOf(error) }, "webhook deliveries could not be looked through; trying on");
    }
  }

  async #purge(): Promise<void> {
    const { book, now, log } = this.#options;
    try {
      await book.purge(new Date(now().getTime() - LOG_RETENTION_MS));
    } catch (error) {
      log.warn({ err: causeOf(error) }, "old webhook deliveries could not be deleted");
    }
  }

  #every(name: string, intervalMs: number, action: () => void): void {
    const cancel = this.#options.clock.after(intervalMs, () => {
      if (this.#stopped) return;
      action();
      this.#every(name, intervalMs, action);
    });
    this.#cancelTimers.set(name, cancel);
  }

  #isIdle(): boolean {
    return !this.#looking && !this.#booking && this.#inFlight.size === 0 && this.#unbooked.length === 0;
  }

  #settleIfIdle(): void {
    if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** The database's own error: drizzle's wrapper quotes the query's values. */
function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error;
}
