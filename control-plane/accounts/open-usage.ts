import { inArray } from "drizzle-orm";
import { z } from "zod";
import { usageSubject } from "#protocol/bus/control";
import { openUsageBucket, openUsageName } from "#protocol/bus/open-usage";
import { decodeMsgpack } from "#protocol/msgpack";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { Membership } from "#common/membership/membership";
import type { Db } from "../database/database.js";
import { usageRecords } from "../database/schema.js";
import { usageRecord } from "./usage.js";

/** An edge or a runtime that two looks in a row do not find is gone. */
const LOOK_INTERVAL_MS = 5000;

const openUsage = z.object({ records: z.array(usageRecord) });

export interface OpenUsageRecoveryOptions {
  bus: Bus;
  clock: Clock;
  db: Db;
  log: Logger;
  members: Pick<Membership, "ofRole">;
}

/**
 * Publishes what the requests of edges and runtimes that died had used, as of the last report of each, until it is
 * stopped. Several instances may do so at once: usage counts once.
 */
export function recoverOpenUsage(options: OpenUsageRecoveryOptions): { stop: () => void } {
  const { bus, clock, log, members } = options;
  let stopped = false;
  let cancel: () => void = () => undefined;
  let missing = new Set<string>();
  const look = async (): Promise<void> => {
    try {
      const live = new Set([...members.ofRole("edge"), ...members.ofRole("agent")].map(openUsageName));
      // While the bus is away nobody's heartbeat comes.
      const gone = bus.isConnected()
        ? (await bus.objects(openUsageBucket).names()).filter((name) => !live.has(name))
        : [];
      for (const name of gone) if (missing.has(name)) await publishObject(options, name);
      missing = new Set(gone);
    } catch (error) {
      missing = new Set();
      if (!stopped)
        log.warn(
          { err: error instanceof Error ? (error.cause ?? error) : error },
          "usage of processes that are gone could not be looked for yet",
        );
    }
    if (!stopped) cancel = clock.after(LOOK_INTERVAL_MS, () => void look());
  };
  cancel = clock.after(LOOK_INTERVAL_MS, () => void look());
  return {
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

/** How many of a team's requests had used something, and were not over, at the last report of each process. */
export async function countOpenRequests(bus: Pick<Bus, "objects">, teamId: string): Promise<number> {
  const bucket = bus.objects(openUsageBucket);
  const reports = await Promise.all((await bucket.names()).map((name) => bucket.get(name)));
  return reports
    .flatMap((bytes) => (bytes === null ? [] : (openUsage.safeParse(decodeMsgpack(bytes)).data?.records ?? [])))
    .filter((record) => record.teamId === teamId).length;
}

/** Publishes an object's records as usage and deletes it, in this order: usage that is published twice is harmless. */
async function publishObject({ bus, db, log }: OpenUsageRecoveryOptions, name: string): Promise<void> {
  const bucket = bus.objects(openUsageBucket);
  const bytes = await bucket.get(name);
  if (bytes === null) return;
  const parsed = openUsage.safeParse(decodeMsgpack(bytes));
  if (!parsed.success)
    log.error(
      { problems: parsed.error.issues.map((issue) => issue.path.join(".")) },
      "open usage that cannot be read was dropped",
    );
  const open = parsed.data?.records ?? [];
  // Analytics takes the record that came last: one whose request has ended after the last report must not come again.
  const ended =
    open.length === 0
      ? []
      : await db
          .select({ usageId: usageRecords.usageId })
          .from(usageRecords)
          .where(
            inArray(
              usageRecords.usageId,
              open.map(({ usageId }) => usageId),
            ),
          );
  const isBooked = new Set(ended.map(({ usageId }) => usageId));
  const partial = open.filter(({ usageId }) => !isBooked.has(usageId));
  for (const record of partial) bus.publish(usageSubject, { ...record, outcome: "partial" });
  await bus.flush();
  await bucket.delete(name);
  log.info({ owner: name, requests: partial.length }, "booked what a process that is gone had given");
}
