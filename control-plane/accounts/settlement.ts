import { usageStream } from "#protocol/bus/usage-stream";
import type { Bus, KeptSubscription } from "#common/bus/bus";
import type { Logger } from "#common/log";
import type { Records } from "../database/database.js";
import { isUnavailable, toServiceError } from "../database/failure.js";
import { type ControlWatch, noWatch } from "../watch/control-watch.js";
import { forgetKeys } from "./forget-keys.js";
import { settleUsage, usageRecord } from "./usage.js";

const BATCH = 100;

export interface SettlementOptions {
  bus: Bus;
  records: Records;
  log: Logger;
  now: () => Date;
  /** Instances with the same name share the work. */
  consumer: string;
  watch?: ControlWatch;
}

/** Takes kept usage off the bus and books it. While the database is away it stays on the bus. */
export class UsageSettlement {
  readonly #options: SettlementOptions;
  readonly #watch: ControlWatch;
  readonly #subscription: KeptSubscription;
  #pending = 0;

  constructor(options: SettlementOptions) {
    this.#options = options;
    this.#watch = options.watch ?? noWatch;
    this.#watch.usageWaiting(() => this.#pending);
    const { bus, consumer } = options;
    this.#subscription = bus.consume<unknown>({ stream: usageStream, consumer, batch: BATCH, lingerMs: 0 }, async (messages, pending) => {
      this.#pending = pending + messages.length;
      for (const message of messages) {
        await this.#settle(message);
        this.#pending--;
      }
    });
  }

  /** Resolves when usage that is published from then on cannot be missed. */
  get ready(): Promise<void> {
    return this.#subscription.ready;
  }

  /** Takes no more and resolves when the batch in hand is booked; the rest waits on the bus for whoever comes next. */
  async drain(): Promise<void> {
    await this.#subscription.stop();
  }

  /** Rejects only while the database is away: the message comes again then. */
  async #settle(message: unknown): Promise<void> {
    const { bus, records, log, now } = this.#options;
    const parsed = usageRecord.safeParse(message);
    if (!parsed.success) {
      this.#watch.usage("dropped");
      log.error({ problems: parsed.error.issues.map((issue) => issue.path.join(".")) }, "usage that cannot be read was dropped");
      return;
    }
    try {
      const { exhausted, repeated } = await settleUsage(records, parsed.data, now());
      this.#watch.usage(repeated ? "repeated" : "settled");
      if (exhausted) await forgetKeys(bus, records, [parsed.data.teamId]);
    } catch (error) {
      if (isUnavailable(error)) throw toServiceError(error);
      this.#watch.usage("dropped");
      log.error({ err: error instanceof Error ? (error.cause ?? error) : error, usageId: parsed.data.usageId }, "usage could not be settled");
    }
  }
}
