import type { UsageRecord } from "#protocol/bus/control";
import { usageStream } from "#protocol/bus/usage-stream";
import type { Bus, KeptSubscription } from "#common/bus/bus";
import type { Logger } from "#common/log";
import type { Records } from "../database/database.js";
import { isUnavailable, toServiceError } from "../database/failure.js";
import { type ControlWatch, noWatch } from "../telemetry/control-telemetry.js";
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
    this.#subscription = bus.consume<unknown>(
      { stream: usageStream, consumer, batch: BATCH, lingerMs: 0 },
      async (messages, pending) => {
        this.#pending = pending + messages.length;
        await this.#settle(messages.flatMap((message) => this.#read(message) ?? []));
        this.#pending = pending;
      },
    );
  }

  /** Resolves when usage that is published from then on cannot be missed. */
  get ready(): Promise<void> {
    return this.#subscription.ready;
  }

  /** Takes no more and resolves when the batch in hand is booked; the rest waits on the bus for whoever comes next. */
  async drain(): Promise<void> {
    await this.#subscription.stop();
  }

  #read(message: unknown): UsageRecord | null {
    const parsed = usageRecord.safeParse(message);
    if (parsed.success) return parsed.data;
    this.#watch.usage("dropped");
    this.#options.log.error(
      { problems: parsed.error.issues.map((issue) => issue.path.join(".")) },
      "usage that cannot be read was dropped",
    );
    return null;
  }

  /** Books a batch in one transaction. Rejects only while the database is away: the batch comes again then. */
  async #settle(usages: readonly UsageRecord[]): Promise<void> {
    const { bus, records, log, now } = this.#options;
    if (usages.length === 0) return;
    try {
      const { settled, repeated, exhaustedTeamIds } = await settleUsage(records, usages, now());
      for (let count = 0; count < settled; count++) this.#watch.usage("settled");
      for (let count = 0; count < repeated; count++) this.#watch.usage("repeated");
      if (exhaustedTeamIds.length > 0) await forgetKeys(bus, records, exhaustedTeamIds);
    } catch (error) {
      if (isUnavailable(error)) throw toServiceError(error);
      // One that the database refuses must not take the others with it.
      if (usages.length > 1) {
        for (const usage of usages) await this.#settle([usage]);
        return;
      }
      this.#watch.usage("dropped");
      log.error(
        { err: error instanceof Error ? (error.cause ?? error) : error, usageId: usages[0]?.usageId },
        "usage could not be settled",
      );
    }
  }
}
