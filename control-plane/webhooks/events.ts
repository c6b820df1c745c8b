import type { AnalysisDatum, CriterionResult } from "#protocol/agents/analysis";
import type {
  AnsweredBy,
  CallAnalyzedPayload,
  CallEndedPayload,
  DialFinishedPayload,
  DialStatus,
  WebhookPayload,
  WebhookSession,
} from "#protocol/webhooks";

/** A session as its record holds it, at the moment that an event is about. */
export interface SessionFacts {
  id: string;
  agentId: string;
  branchId: string | null;
  /** Where the session was created from, such as `api` or `widget`. */
  source: string;
  status: string;
  direction: "inbound" | "outbound";
  /** Null on inbound sessions, and before the dial is resolved. */
  dialStatus: DialStatus | null;
  answeredBy: AnsweredBy | null;
  conversationStartedAt: Date | null;
  conversationEndedAt: Date | null;
  /** As the client gave it; null when it gave none. */
  endUserId: string | null;
  /** As the client gave it. */
  metadata: Record<string, unknown> | null;
  agentName: string;
  configHash: string;
}

/** How an analysis ended. */
export type AnalysisOutcome =
  | {
      status: "completed";
      summary: string | null;
      data: AnalysisDatum[];
      criteriaResults: CriterionResult[];
      finishedAt: Date;
    }
  | { status: "skipped"; finishedAt: Date }
  | { status: "error"; error: string; finishedAt: Date };

/** `call.ended`: the session reached a terminal state. */
export function callEnded(session: SessionFacts, endedReason: string): CallEndedPayload {
  return { event: "call.ended", session: sessionOf(session), ended_reason: endedReason };
}

/** `call.analyzed`: the analysis after the call settled, or settled anew. */
export function callAnalyzed(session: SessionFacts, outcome: AnalysisOutcome): CallAnalyzedPayload {
  const done = outcome.status === "completed";
  return {
    event: "call.analyzed",
    session: sessionOf(session),
    analysis: {
      status: outcome.status,
      summary: done ? outcome.summary : null,
      data: done ? outcome.data : [],
      criteria_results: done ? outcome.criteriaResults : [],
      error: outcome.status === "error" ? outcome.error : null,
      finished_at: outcome.finishedAt.toISOString(),
    },
  };
}

/**
 * `phone_call.dial_finished`: an outbound dial was resolved. The snapshot is of that moment: on an answered call
 * nothing has ended yet.
 */
export function dialFinished(
  session: SessionFacts,
  dialStatus: DialStatus,
  answeredBy: AnsweredBy | null,
): DialFinishedPayload {
  const answerer = dialStatus === "answered" ? answeredBy : null;
  const snapshot = { ...session, dialStatus, answeredBy: answerer };
  return {
    event: "phone_call.dial_finished",
    session: sessionOf(snapshot),
    dial_status: dialStatus,
    answered_by: answerer,
  };
}

/** What receivers recognize duplicates by (docs/webhooks.md "Receiving"). */
export function dedupKey(payload: WebhookPayload): string {
  const key = `${payload.event} ${payload.session.id}`;
  return payload.event === "call.analyzed" ? `${key} ${payload.analysis.finished_at}` : key;
}

function sessionOf(facts: SessionFacts): WebhookSession {
  const { conversationStartedAt: start, conversationEndedAt: end } = facts;
  const outbound = facts.direction === "outbound";
  return {
    id: facts.id,
    agent_id: facts.agentId,
    branch_id: facts.branchId,
    source: facts.source,
    status: facts.status,
    direction: facts.direction,
    dial_status: outbound ? facts.dialStatus : null,
    answered_by: outbound ? facts.answeredBy : null,
    batch_call_id: null,
    conversation_started_at: start?.toISOString() ?? null,
    conversation_ended_at: end?.toISOString() ?? null,
    duration_seconds:
      start === null || end === null ? null : Math.max(0, Math.round((end.getTime() - start.getTime()) / 1000)),
    end_user_id: facts.endUserId ?? "",
    metadata: facts.metadata ?? {},
    agent_name: facts.agentName,
    config_hash: facts.configHash,
  };
}
