import { type UsageRecord, usageSubject } from "#protocol/bus/control";
import type { Bus, Subscription } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { Records } from "../database/database.js";
import { isUnavailable } from "../database/failure.js";
import { forgetKeys } from "./forget-keys.js";
import { type ControlWatch, noWatch } from "../watch/control-watch.js";
import { settleUsage, usageRecord } from "./usage.js";

/** Usage held while the database is away; past it the oldest is given up, with a loud line. */
export const MAX_WAITING_USAGE = 100_000;
const RETRY_INTERVAL_MS = 500;

export interface SettlementOptions {
  bus: Bus;
  clock: Clock;
  records: Records;
  log: Logger;
  now: () => Date;
  queueGroup: string;
  watch?: ControlWatch;
}

/** Takes usage off the bus and books it, one after another, waiting for the database where need be. */
export class UsageSettlement {
  readonly #options: SettlementOptions;
  readonly #watch: ControlWatch;
  readonly #waiting: UsageRecord[] = [];
  readonly #subscription: Subscription;
  #working: Promise<void> = Promise.resolve();
  #busy = false;
  #stopped = false;
  #cancelPause: () => void = () => undefined;

  constructor(options: SettlementOptions) {
    this.#options = options;
    this.#watch = options.watch ?? noWatch;
    this.#watch.usageWaiting(() => this.#waiting.length);
    this.#subscription = options.bus.subscribe<unknown>(usageSubject, (message) => this.#take(message), { queue: options.queueGroup });
  }

  /** Takes no more, books what is waiting and resolves then. */
  async drain(): Promise<void> {
    this.#subscription.unsubscribe();
    await this.#working;
  }

  /** Gives up what is still waiting. */
  stop(): void {
    this.#stopped = true;
    this.#cancelPause();
    if (this.#waiting.length > 0) this.#options.log.error({ records: this.#waiting.length }, "usage was not settled before the end");
  }

  #take(message: unknown): void {
    const parsed = usageRecord.safeParse(message);
    if (!parsed.success) {
      this.#watch.usage("dropped");
      this.#options.log.error({ problems: parsed.error.issues.map((issue) => issue.path.join(".")) }, "usage that cannot be read was dropped");
      return;
    }
    if (this.#waiting.length >= MAX_WAITING_USAGE) {
      const dropped = this.#waiting.shift();
      this.#watch.usage("dropped");
      this.#options.log.error({ usageId: dropped?.usageId }, "usage was dropped: the database has been away for too long");
    }
    this.#waiting.push(parsed.data);
    if (this.#busy) return;
    this.#busy = true;
    this.#working = this.#work().finally(() => {
      this.#busy = false;
    });
  }

  async #work(): Promise<void> {
    for (let usage = this.#waiting[0]; usage !== undefined && !this.#stopped; usage = this.#waiting[0]) {
      const done = await this.#settle(usage);
      if (!done) await this.#pause();
      // While it was being settled the queue may have overflowed and given this very record up.
      else if (this.#waiting[0] === usage) this.#waiting.shift();
    }
  }

  async #settle(usage: UsageRecord): Promise<boolean> {
    const { bus, records, log, now } = this.#options;
    try {
      const { exhausted, repeated } = await settleUsage(records, usage, now());
      this.#watch.usage(repeated ? "repeated" : "settled");
      if (exhausted) await forgetKeys(bus, records, [usage.teamId]);
      return true;
    } catch (error) {
      if (isUnavailable(error)) return false;
      this.#watch.usage("dropped");
      log.error({ err: error instanceof Error ? (error.cause ?? error) : error, usageId: usage.usageId }, "usage could not be settled");
      return true;
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(RETRY_INTERVAL_MS, resolve);
      this.#cancelPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
