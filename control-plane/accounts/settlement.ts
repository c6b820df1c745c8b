import type { UsageRecord } from "#protocol/bus/control";
import { usageStream } from "#protocol/bus/usage-stream";
import type { Bus, DurableSubscription } from "#common/bus/bus";
import type { Logger } from "#common/log";
import type { Db } from "../database/database.js";
import { isUnavailable, toServiceError } from "../database/failure.js";
import { type ControlTelemetry, noTelemetry } from "../telemetry/control-telemetry.js";
import { purgeKeys } from "./forget-keys.js";
import { settleUsage, usageRecord } from "./usage.js";

const BATCH = 100;

/** What ends within this time is booked in one transaction: each costs the embedded database some ten milliseconds. */
const LINGER_MS = 250;

export interface SettlementOptions {
  bus: Bus;
  db: Db;
  log: Logger;
  now: () => Date;
  /** Instances with the same name share the work. */
  consumer: string;
  telemetry?: ControlTelemetry;
}

/** Takes usage off the bus and books it. While the database is away it stays on the bus. */
export class UsageSettlement {
  readonly #options: SettlementOptions;
  readonly #telemetry: ControlTelemetry;
  readonly #subscription: DurableSubscription;
  #pending = 0;

  constructor(options: SettlementOptions) {
    this.#options = options;
    this.#telemetry = options.telemetry ?? noTelemetry;
    this.#telemetry.usageWaiting(() => this.#pending);
    const { bus, consumer } = options;
    this.#subscription = bus.consume<unknown>(
      { stream: usageStream, consumer, batch: BATCH, lingerMs: LINGER_MS },
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

  /** Resolves when all usage that is on the bus now is booked. Throws `dependency_unavailable` after `withinMs`. */
  caughtUp(withinMs: number): Promise<void> {
    return this.#subscription.caughtUp(withinMs);
  }

  /** Takes no more and resolves when the batch in hand is booked; the rest waits on the bus for whoever comes next. */
  async drain(): Promise<void> {
    await this.#subscription.stop();
  }

  #read(message: unknown): UsageRecord | null {
    const parsed = usageRecord.safeParse(message);
    if (parsed.success) return parsed.data;
    this.#telemetry.usage("dropped");
    this.#options.log.error(
      { problems: parsed.error.issues.map((issue) => issue.path.join(".")) },
      "usage that cannot be read was dropped",
    );
    return null;
  }

  /** Books a batch in one transaction. Rejects only while the database is away: the batch comes again then. */
  async #settle(usages: readonly UsageRecord[]): Promise<void> {
    const { bus, db, log, now } = this.#options;
    if (usages.length === 0) return;
    try {
      const { settled, repeated, exhaustedTeamIds } = await settleUsage(db, usages, now());
      for (let count = 0; count < settled; count++) this.#telemetry.usage("settled");
      for (let count = 0; count < repeated; count++) this.#telemetry.usage("repeated");
      if (exhaustedTeamIds.length > 0) await purgeKeys(bus, db, exhaustedTeamIds);
    } catch (error) {
      if (isUnavailable(error)) throw toServiceError(error);
      // One that the database refuses must not take the others with it.
      if (usages.length > 1) {
        for (const usage of usages) await this.#settle([usage]);
        return;
      }
      this.#telemetry.usage("dropped");
      log.error(
        { err: error instanceof Error ? (error.cause ?? error) : error, usageId: usages[0]?.usageId },
        "usage could not be settled",
      );
    }
  }
}
