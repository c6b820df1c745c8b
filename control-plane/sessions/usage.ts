import { conversationModel } from "#protocol/agents/session";
import type { UsageRecord } from "#protocol/bus/control";
import type { ConversationPlan } from "#protocol/bus/conversation";
import { durationMsOf } from "./entity.js";
import type { SessionRow } from "./tables.js";
import { legDurationsMs } from "./transfers.js";

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
    conversationMs: chargedMsOf(row, Math.min(durationMs, plan.maxDurationMs)) + legsMsOf(row),
    firstAudioMs: null,
    totalMs: durationMs,
    outcome: status === "completed" ? "completed" : "failed",
    traceId: "",
    finishedAtMs: endedAt.getTime(),
  };
}

const MINUTE_MS = 60_000;

/**
 * For how much of a conversation's time credit is held: the longest, and the same again where somebody else may be
 * called in it.
 */
export function heldMsOf(row: Pick<SessionRow, "source">, { maxDurationMs, call }: ConversationPlan): number {
  const isCalledOut = call?.transfers?.trunkId !== undefined && call.transfers.trunkId !== null;
  return chargedMsOf(row, maxDurationMs) * (isCalledOut ? 2 : 1);
}

/** What of the calls to others in it is charged. */
function legsMsOf(row: SessionRow): number {
  return legDurationsMs(row.transfers).reduce((sum, durationMs) => sum + chargedMsOf(row, durationMs), 0);
}

/** What of a conversation's time is charged: of a phone call every minute that has begun. */
function chargedMsOf({ source }: Pick<SessionRow, "source">, durationMs: number): number {
  return source === "phone" ? Math.ceil(durationMs / MINUTE_MS) * MINUTE_MS : durationMs;
}
