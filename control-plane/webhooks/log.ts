import { and, asc, count, eq, inArray, type SQL } from "drizzle-orm";
import { newIdentifier } from "#common/identifier";
import type { Sealer } from "#common/secrets/sealer";
import type {
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookDeliveryListQuery,
} from "#protocol/webhooks";
import type { Db } from "../database/database.js";
import { envelope, newestFirst, readPage, within } from "../http/paging.js";
import { deliverySecretContext } from "./enqueue.js";
import { webhookAttempts, webhookDeliveries, webhookEvents } from "./tables.js";

type DeliveryRow = typeof webhookDeliveries.$inferSelect;
type AttemptRow = typeof webhookAttempts.$inferSelect;

/** A team's deliveries, newest first. Throws the errors of paging. */
export async function listDeliveries(
  db: Db,
  query: WebhookDeliveryListQuery,
  teamId: string,
  sealer: Sealer,
): Promise<WebhookDeliveryList> {
  const page = readPage(query, "webhook-deliveries", teamId, sealer);
  const { agent_id: agentId, session_id: sessionId, event, status } = query;
  const where = and(
    eq(webhookDeliveries.teamId, teamId),
    agentId === undefined ? undefined : eq(webhookDeliveries.agentId, agentId),
    sessionId === undefined ? undefined : eq(webhookDeliveries.sessionId, sessionId),
    event === undefined ? undefined : eq(webhookDeliveries.event, event),
    status === undefined ? undefined : eq(webhookDeliveries.status, status),
  );
  const [read, total] = await Promise.all([
    db
      .select()
      .from(webhookDeliveries)
      .where(within(page, where, webhookDeliveries))
      .orderBy(...newestFirst(webhookDeliveries))
      .limit(page.limit)
      .offset(page.offset),
    page.wantsTotal ? countDeliveries(db, where) : Promise.resolve(null),
  ]);
  const { rows, envelope: facts } = envelope(page, read, total);
  const attempts = await attemptsOf(
    db,
    rows.map((row) => row.id),
  );
  return { deliveries: rows.map((row) => toEntity(row, attempts.get(row.id) ?? [])), ...facts };
}

/** One delivery with what was sent; null when the team has none of this id. */
export async function findDelivery(db: Db, id: string, teamId: string): Promise<WebhookDeliveryDetail | null> {
  const [found] = await db
    .select({ delivery: webhookDeliveries, body: webhookEvents.body })
    .from(webhookDeliveries)
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.teamId, teamId)));
  if (found === undefined) return null;
  const attempts = await attemptsOf(db, [id]);
  return { ...toEntity(found.delivery, attempts.get(id) ?? []), body: found.body };
}

/**
 * Writes a delivery of the same body to the same endpoint, with attempts of its own, outside of the session's order.
 * Gives its id; "pending" when the first one is still being attempted, null when the team has none of this id.
 */
export async function redeliver(
  db: Db,
  request: { id: string; teamId: string; now: Date; sealer: Sealer },
): Promise<{ id: string } | "pending" | null> {
  const { id, teamId, now, sealer } = request;
  const [row] = await db
    .select()
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.teamId, teamId)));
  if (row === undefined) return null;
  if (row.status === "pending") return "pending";
  const newId = newIdentifier();
  const secret = row.sealedSecret === null ? null : sealer.open(row.sealedSecret, deliverySecretContext(id));
  await db
    .insert(webhookDeliveries)
    .values({
      ...row,
      id: newId,
      sealedSecret: secret === null ? null : sealer.seal(secret, deliverySecretContext(newId)),
      redeliveryOf: id,
      status: "pending",
      attempts: 0,
      dueAt: now,
      lease: null,
      createdAt: now,
      finishedAt: null,
    });
  return { id: newId };
}

async function countDeliveries(db: Db, where: SQL | undefined): Promise<number> {
  const [row] = await db.select({ total: count() }).from(webhookDeliveries).where(where);
  return row?.total ?? 0;
}

async function attemptsOf(db: Db, ids: string[]): Promise<Map<string, AttemptRow[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select()
    .from(webhookAttempts)
    .where(inArray(webhookAttempts.deliveryId, ids))
    .orderBy(asc(webhookAttempts.number));
  const byDelivery = new Map<string, AttemptRow[]>(ids.map((id) => [id, []]));
  for (const row of rows) byDelivery.get(row.deliveryId)?.push(row);
  return byDelivery;
}

function toEntity(row: DeliveryRow, attempts: readonly AttemptRow[]): WebhookDelivery {
  return {
    delivery_id: row.id,
    event: row.event,
    agent_id: row.agentId,
    session_id: row.sessionId,
    url: row.url,
    status: row.status,
    attempts: attempts.map(({ number, startedAt, durationMs, statusCode, error }) => ({
      ...{ number, error },
      started_at: startedAt.toISOString(),
      duration_ms: durationMs,
      status_code: statusCode,
    })),
    redelivery_of: row.redeliveryOf,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}
