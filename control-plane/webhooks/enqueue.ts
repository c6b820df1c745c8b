import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { newIdentifier, sha256Hex } from "#common/identifier";
import type { Sealer } from "#common/secrets/sealer";
import type { WebhookPayload } from "#protocol/webhooks";
import type { Db } from "../database/database.js";
import { dedupKey } from "./events.js";
import { webhookDeliveries, webhookEvents } from "./tables.js";

/** Where an agent's events go: an entry of `webhooks.post_call` of the version that the session ran. */
export interface WebhookEndpoint {
  url: string;
  /** In the clear; it is sealed before it is stored. */
  secret: string | null;
}

export interface NewWebhookEvent {
  teamId: string;
  payload: WebhookPayload;
  endpoints: readonly WebhookEndpoint[];
  /** Preview calls made from the builder never trigger webhooks. */
  isPreview: boolean;
}

/** What the secret of a delivery is sealed for. */
export function deliverySecretContext(deliveryId: string): string {
  return `webhook-delivery:${deliveryId}`;
}

/**
 * Writes an event and its delivery to every endpoint. `step` is the transaction that makes the event true: both are
 * kept or neither is. Events of one session are delivered in the order of these calls. An event that is already written
 * (same deduplication key) is not written again. Gives whether deliveries were written: then publish
 * `webhookWakeSubject` after the commit; without that they start a second later.
 */
export async function enqueueWebhookEvent(
  tx: Db,
  event: NewWebhookEvent,
  context: { sealer: Sealer; now: Date },
): Promise<boolean> {
  const { teamId, payload, endpoints, isPreview } = event;
  if (isPreview || endpoints.length === 0) return false;
  const { id: sessionId, agent_id: agentId } = payload.session;
  // Events of one session take turns, so that a later position never commits before an earlier one.
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`webhooks ${sessionId}`}, 0))`);
  const known = await tx
    .select({ position: webhookEvents.position, dedupKey: webhookEvents.dedupKey })
    .from(webhookEvents)
    .where(eq(webhookEvents.sessionId, sessionId));
  const key = dedupKey(payload);
  if (known.some((row) => row.dedupKey === key)) return false;
  const position = Math.max(0, ...known.map((row) => row.position)) + 1;
  const [eventId, createdAt] = [newIdentifier(), context.now];
  await tx
    .insert(webhookEvents)
    .values({
      ...{ id: eventId, teamId, agentId, sessionId, position, createdAt },
      event: payload.event,
      dedupKey: key,
      body: JSON.stringify(payload),
    });
  const waitingFor = position === 1 ? new Set<string>() : await pendingEndpoints(tx, sessionId);
  await tx.insert(webhookDeliveries).values(
    endpoints.map(({ url, secret }) => {
      const [id, endpoint] = [newIdentifier(), sha256Hex(url)];
      return {
        ...{ id, eventId, teamId, agentId, sessionId, position, url, endpoint, createdAt },
        event: payload.event,
        sealedSecret: secret === null || secret === "" ? null : context.sealer.seal(secret, deliverySecretContext(id)),
        redeliveryOf: null,
        status: "pending" as const,
        attempts: 0,
        dueAt: waitingFor.has(endpoint) ? null : createdAt,
        lease: null,
        finishedAt: null,
      };
    }),
  );
  return true;
}

/**
 * Endpoints that still have an earlier event of this session before them. The rows are locked: whoever finishes one of
 * them waits for our commit and then sees what waits behind it. The order of the locks is that of `finishDeliveries`,
 * so that neither holds what the other wants first.
 */
async function pendingEndpoints(tx: Db, sessionId: string): Promise<Set<string>> {
  const { endpoint, position, status, redeliveryOf } = webhookDeliveries;
  const rows = await tx
    .select({ endpoint })
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.sessionId, sessionId), eq(status, "pending"), isNull(redeliveryOf)))
    .orderBy(asc(endpoint), asc(position))
    .for("update");
  return new Set(rows.map((row) => row.endpoint));
}
