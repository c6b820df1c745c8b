import { conversationModel } from "#protocol/agents/session";
import type { UsageRecord } from "#protocol/bus/control";
import { durationMsOf } from "./entity.js";
import type { SessionRow } from "./tables.js";

/**
 * What a conversation that is over used, as long as it is charged; null for one that did not take place, or whose end
 * nobody knows. What is spoken and recognized in it is usage of its own.
 */
export function conversationUsage(row: SessionRow): UsageRecord | null {
  const { id, teamId, agentId, status, endedAt, plan } = row;
  const durationMs = durationMsOf(row);
  if (durationMs === null || endedAt === null || status === "unknown") return null;
  return {
    usageId: `session:${id}`,
    ...{ teamId, keyId: plan.keyId, agentId },
    route: "/v1/agent/sessions",
    model: conversationModel,
    ...{ characters: 0, audioMs: 0 },
    conversationMs: chargedMsOf(row, Math.min(durationMs, plan.maxDurationMs)),
    firstAudioMs: null,
    totalMs: durationMs,
    outcome: status === "completed" ? "completed" : "failed",
    traceId: "",
    finishedAtMs: endedAt.getTime(),
  };
}

const MINUTE_MS = 60_000;

/** What of a conversation's time is charged: of a phone call every minute that has begun. */
export function chargedMsOf({ source }: Pick<SessionRow, "source">, durationMs: number): number {
  return source === "phone" ? Math.ceil(durationMs / MINUTE_MS) * MINUTE_MS : durationMs;
}
