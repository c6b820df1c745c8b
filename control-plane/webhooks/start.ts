import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { Outbound } from "#common/outbound/outbound";
import type { Sealer } from "#common/secrets/sealer";
import { webhookWakeSubject } from "#protocol/webhooks";
import type { Db } from "../database/database.js";
import { databaseBook } from "./delivery-book.js";
import { WebhookDispatcher } from "./dispatcher.js";
import { webhookSender } from "./send.js";

export interface WebhookOptions {
  bus: Bus;
  clock: Clock;
  db: Db;
  log: Logger;
  outbound: Outbound;
  sealer: Sealer;
  /** Wall-clock time. */
  now: () => Date;
}

/**
 * Delivers webhooks until it is stopped: what the book says is due, looked for when the bus says so and every second
 * besides.
 */
export function startWebhooks(options: WebhookOptions): Pick<WebhookDispatcher, "drain" | "stop"> {
  const { bus, clock, db, log, outbound, sealer, now } = options;
  const dispatcher = new WebhookDispatcher({
    book: databaseBook(db),
    send: webhookSender({ outbound, sealer, now }),
    clock,
    now,
    log,
  });
  // Every instance is notified: which of them takes a delivery is settled in the database.
  const subscription = bus.subscribe(webhookWakeSubject, () => dispatcher.wake());
  bus.onReconnect(() => dispatcher.wake());
  return {
    async drain() {
      subscription.unsubscribe();
      await dispatcher.drain();
    },
    stop: () => dispatcher.stop(),
  };
}
