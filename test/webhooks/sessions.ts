import { newIdentifier } from "#common/identifier";
import { callAnalyzed, callEnded, dialFinished, type SessionFacts } from "#control-plane/webhooks/events";
import type { WebhookPayload } from "#protocol/webhooks";

/** An outbound call that was answered and is over. */
export function someSession(change: Partial<SessionFacts> = {}): SessionFacts {
  return {
    id: newIdentifier(),
    agentId: "agent",
    branchId: null,
    source: "phone",
    status: "completed",
    direction: "outbound",
    dialStatus: "answered",
    answeredBy: "human",
    conversationStartedAt: new Date("2026-01-01T10:00:00.000Z"),
    conversationEndedAt: new Date("2026-01-01T10:01:00.000Z"),
    endUserId: "käufer ☎",
    metadata: { order: 1 },
    agentName: "Desk",
    configHash: "hash",
    ...change,
  };
}

/** The three events of an answered outbound call, in their order. */
export function threeEvents(session: SessionFacts): WebhookPayload[] {
  return [
    dialFinished(session, "answered", "human"),
    callEnded(session, "hangup"),
    callAnalyzed(session, { status: "skipped", finishedAt: new Date("2026-01-01T10:02:00.000Z") }),
  ];
}
