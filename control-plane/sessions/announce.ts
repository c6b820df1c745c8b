import { SealError } from "#common/secrets/sealer";
import type { WebhookPayload } from "#protocol/webhooks";
import { webhookEndpointsOf } from "../agents/references.js";
import type { Db } from "../database/database.js";
import { enqueueWebhookEvent, type WebhookEndpoint } from "../webhooks/enqueue.js";
import type { SessionFacts } from "../webhooks/events.js";
import type { SessionContext } from "./context.js";
import type { SessionRow } from "./tables.js";

/** What webhooks say of a session. */
export function factsOf(row: SessionRow): SessionFacts {
  return {
    id: row.id,
    agentId: row.agentId,
    branchId: null,
    source: row.source,
    status: row.status,
    direction: row.direction,
    dialStatus: row.dialStatus,
    answeredBy: row.answeredBy,
    conversationStartedAt: row.startedAt,
    conversationEndedAt: row.endedAt,
    endUserId: row.endUserId,
    metadata: row.metadata,
    agentName: row.agentName,
    configHash: row.configHash,
  };
}

/**
 * Writes an event for the webhooks of the version that a session ran, in the transaction that makes it true; none for a
 * preview. Gives whether there is something to send: then publish `webhookWakeSubject` after the commit.
 */
export async function announce(
  tx: Db,
  context: Pick<SessionContext, "sealer" | "log">,
  row: SessionRow,
  payload: WebhookPayload,
  now: Date,
): Promise<boolean> {
  const endpoints = endpointsOf(context, row);
  const event = { teamId: row.teamId, payload, endpoints, isPreview: row.source === "dashboard" };
  return await enqueueWebhookEvent(tx, event, { sealer: context.sealer, now });
}

function endpointsOf({ sealer, log }: Pick<SessionContext, "sealer" | "log">, row: SessionRow): WebhookEndpoint[] {
  try {
    return webhookEndpointsOf({ agentId: row.agentId, config: row.plan.config }, sealer);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    // Sent without its signature, an event would teach receivers to do without.
    log.error({ err: error, session: row.id }, "a session's webhooks cannot be signed and are not sent");
    return [];
  }
}
