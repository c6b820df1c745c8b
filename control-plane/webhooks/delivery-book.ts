import { and, asc, eq, gt, inArray, isNotNull, lte, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { newIdentifier } from "#common/identifier";
import type { Db } from "../database/database.js";
import type { DeliveryBook, FinishedAttempt, TakenDelivery, TakeRequest } from "./delivery.js";
import { dueQuery } from "./due-query.js";
import { webhookAttempts, webhookDeliveries, webhookEvents } from "./tables.js";

/** The book in Postgres; any number of processes may use it at once. */
export function databaseBook(db: Db): DeliveryBook {
  return {
    take: (request) => takeDeliveries(db, request),
    finish: (attempts, now) => finishDeliveries(db, attempts, now),
    bringForward: (latest, now) => bringForward(db, latest, now),
    purge: (before) => purgeEvents(db, before),
  };
}

/**
 * Makes due what an earlier life of this process had taken and not booked. Only for whoever has the database alone:
 * nobody else's takings are left.
 */
export async function reclaimDeliveries(db: Db, now: Date): Promise<void> {
  const { status, lease } = webhookDeliveries;
  await db
    .update(webhookDeliveries)
    .set({ lease: null, dueAt: now })
    .where(and(eq(status, "pending"), isNotNull(lease)));
}

async function takeDeliveries(db: Db, request: TakeRequest): Promise<TakenDelivery[]> {
  const { now, leaseMs } = request;
  const table = webhookDeliveries;
  const lease = newIdentifier();
  const taken = await db
    .update(table)
    .set({ lease, dueAt: new Date(now.getTime() + leaseMs) })
    .from(webhookEvents)
    // As an array: a plain IN may be planned so that the limited, locking query runs once for each row.
    .where(and(eq(webhookEvents.id, table.eventId), sql`${table.id} = ANY(ARRAY(${dueQuery(request)}))`))
    .returning({
      id: table.id,
      teamId: table.teamId,
      sessionId: table.sessionId,
      endpoint: table.endpoint,
      url: table.url,
      sealedSecret: table.sealedSecret,
      attempts: table.attempts,
      body: webhookEvents.body,
    });
  return taken.map((row) => ({ ...row, lease }));
}

async function finishDeliveries(db: Db, attempts: readonly FinishedAttempt[], now: Date): Promise<void> {
  if (attempts.length === 0) return;
  await db.transaction(async (tx) => {
    const table = webhookDeliveries;
    const held = await tx
      .select({ id: table.id, lease: table.lease, status: table.status })
      .from(table)
      .where(
        inArray(
          table.id,
          attempts.map(({ delivery }) => delivery.id),
        ),
      )
      .orderBy(asc(table.sessionId), asc(table.endpoint), asc(table.position))
      .for("update");
    const leases = new Map(held.filter(({ status }) => status === "pending").map(({ id, lease }) => [id, lease]));
    const ours = attempts.filter(({ delivery }) => leases.get(delivery.id) === delivery.lease);
    if (ours.length === 0) return;
    await bookOutcomes(tx, ours);
    await tx
      .insert(webhookAttempts)
      .values(
        ours.map(({ delivery, startedAt, durationMs, statusCode, error }) => ({
          ...{ deliveryId: delivery.id, number: delivery.attempts + 1, startedAt, statusCode, error },
          durationMs: Math.round(durationMs),
        })),
      )
      .onConflictDoNothing();
    await releaseSuccessors(
      tx,
      ours.filter(({ next }) => next.status !== "pending"),
      now,
    );
  });
}

async function bookOutcomes(tx: Db, attempts: readonly FinishedAttempt[]): Promise<void> {
  const rows = attempts.map(({ delivery, next }) => ({
    id: delivery.id,
    status: next.status,
    attempts: delivery.attempts + 1,
    due_at: next.status === "pending" ? next.dueAt.toISOString() : null,
    finished_at: next.status === "pending" ? null : next.finishedAt.toISOString(),
  }));
  await tx.execute(sql`
    UPDATE webhook_deliveries AS delivery
    SET status = booked.status, attempts = booked.attempts, due_at = booked.due_at, finished_at = booked.finished_at, lease = NULL
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS booked (id text, status text, attempts integer, due_at timestamptz, finished_at timestamptz)
    WHERE delivery.id = booked.id`);
}

/** Makes the earliest delivery that is still pending of each of these sessions and endpoints due, if it waited. */
async function releaseSuccessors(tx: Db, finished: readonly FinishedAttempt[], now: Date): Promise<void> {
  if (finished.length === 0) return;
  const lanes = finished.map(({ delivery }) => ({ session_id: delivery.sessionId, endpoint: delivery.endpoint }));
  await tx.execute(sql`
    UPDATE webhook_deliveries AS delivery
    SET due_at = ${now.toISOString()}::timestamptz
    FROM (
      SELECT DISTINCT ON (waiting.session_id, waiting.endpoint) waiting.id
      FROM webhook_deliveries AS waiting
      JOIN jsonb_to_recordset(${JSON.stringify(lanes)}::jsonb) AS lane (session_id text, endpoint text)
        ON waiting.session_id = lane.session_id AND waiting.endpoint = lane.endpoint
      WHERE waiting.status = 'pending' AND waiting.redelivery_of IS NULL
      ORDER BY waiting.session_id, waiting.endpoint, waiting.position
    ) AS earliest
    WHERE delivery.id = earliest.id AND delivery.due_at IS NULL`);
}

async function bringForward(db: Db, latest: Date, now: Date): Promise<void> {
  const { status, dueAt } = webhookDeliveries;
  await db
    .update(webhookDeliveries)
    .set({ lease: null, dueAt: now })
    .where(and(eq(status, "pending"), gt(dueAt, latest)));
}

async function purgeEvents(db: Db, before: Date): Promise<void> {
  const pending = alias(webhookDeliveries, "pending");
  await db.delete(webhookEvents).where(
    and(
      lte(webhookEvents.createdAt, before),
      notExists(
        db
          .select({ id: pending.id })
          .from(pending)
          .where(and(eq(pending.eventId, webhookEvents.id), eq(pending.status, "pending"))),
      ),
    ),
  );
}
