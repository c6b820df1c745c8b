import type { SessionAnalysis } from "#protocol/agents/analysis";
import type {
  SessionDetail,
  SessionItem,
  SessionSummary,
  SessionToken,
  TurnLatencyEntity,
} from "#protocol/agents/session";
import type { SessionItemRow, SessionRow } from "./tables.js";

/** A session as lists show it. */
export function toSessionSummary(row: SessionRow): SessionSummary {
  return {
    session_id: row.id,
    agent_id: row.agentId,
    agent_name: row.agentName,
    name: row.name,
    status: row.status,
    source: row.source,
    direction: row.direction,
    dial_status: row.dialStatus,
    answered_by: row.answeredBy,
    caller_number: row.callerNumber,
    dialed_number: row.dialedNumber,
    timezone: row.timezone,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    ended_at: isOver(row) ? (row.endedAt?.toISOString() ?? null) : null,
    duration_seconds: isOver(row) ? durationSecondsOf(row) : null,
    metadata: row.metadata,
  };
}

/** Whether nothing more happens to a session. */
export function isOver({ status }: Pick<SessionRow, "status">): boolean {
  return status !== "pending" && status !== "active";
}

/** How long the conversation was, milliseconds; null for one that did not begin, or whose end nobody knows. */
export function durationMsOf({ startedAt, endedAt }: Pick<SessionRow, "startedAt" | "endedAt">): number | null {
  if (startedAt === null || endedAt === null) return null;
  return Math.max(0, endedAt.getTime() - startedAt.getTime());
}

function durationSecondsOf(row: SessionRow): number | null {
  const durationMs = durationMsOf(row);
  return durationMs === null ? null : Math.round(durationMs / 1000);
}

/** At one moment, what was said goes before what it led to. */
const itemOrder: Readonly<Record<SessionItemRow["type"], number>> = {
  message: 0,
  tool_call: 1,
  tool_result: 2,
  turn_latency: 3,
};

/** A session with what was said and done in it, and what came of its analysis. */
export function toSessionDetail(
  row: SessionRow,
  items: readonly SessionItemRow[],
  analysis: SessionAnalysis | null,
): SessionDetail {
  return {
    ...toSessionSummary(row),
    items: toItems(items),
    analysis,
    turn_latencies: inOrder(items)
      .filter(({ type }) => type === "turn_latency")
      .map(({ turnId, content }) => ({ turn_id: turnId ?? 0, ...content }) as TurnLatencyEntity),
    interrupted_turns: [...new Set(items.flatMap(interruptedTurnOf))].sort((a, b) => a - b),
    responder: row.responder,
    ended_reason: isOver(row) ? row.endedReason : null,
    transfers: row.transfers,
  };
}

/** What was said and done, in order. A reply of which nothing was heard (yet) is left out. */
export function toItems(items: readonly SessionItemRow[]): SessionItem[] {
  return inOrder(items)
    .filter(({ type, content }) => type !== "turn_latency" && content["content"] !== "")
    .map(toItem);
}

function inOrder(items: readonly SessionItemRow[]): SessionItemRow[] {
  return items.toSorted(
    (a, b) =>
      a.createdAt.getTime() - b.createdAt.getTime() || itemOrder[a.type] - itemOrder[b.type] || a.sequence - b.sequence,
  );
}

function interruptedTurnOf({ turnId, content }: SessionItemRow): number[] {
  return content["interrupted"] === true && turnId !== null ? [turnId] : [];
}

function toItem({ type, turnId, content, createdAt }: SessionItemRow): SessionItem {
  // Not part of an item as the vendor has it.
  const { interrupted: _, ...shown } = content;
  return { type, ...shown, turn_id: turnId, created_at: createdAt.toISOString() } as SessionItem;
}

/** What whoever created a session joins it with. */
export function toSessionToken(row: SessionRow, publicUrl: string, token: string): SessionToken {
  return {
    session_id: row.id,
    expires_at: row.joinBy.toISOString(),
    max_duration_seconds: Math.round(row.plan.maxDurationMs / 1000),
    transport: "livekit",
    webrtc_url: publicUrl,
    livekit_url: publicUrl,
    token,
  };
}
