import { describe, expect, it } from "vitest";
import { callAnalyzed, callEnded, dedupKey, dialFinished, type SessionFacts } from "./events.js";

const inbound: SessionFacts = {
  id: "s1",
  agentId: "a1",
  branchId: null,
  source: "api",
  status: "completed",
  direction: "inbound",
  dialStatus: null,
  answeredBy: null,
  conversationStartedAt: new Date("2026-01-01T10:00:00.000Z"),
  conversationEndedAt: new Date("2026-01-01T10:01:30.400Z"),
  endUserId: "user-7",
  metadata: { order: 12, nested: { a: [1, null] } },
  agentName: "Front desk",
  configHash: "abc",
};
const outbound: SessionFacts = { ...inbound, direction: "outbound", dialStatus: "answered", answeredBy: "human" };
const finishedAt = new Date("2026-01-01T10:02:00.000Z");

const sessionFields = [
  ...["id", "agent_id", "branch_id", "source", "status", "direction", "dial_status", "answered_by", "batch_call_id"],
  ...[
    "conversation_started_at",
    "conversation_ended_at",
    "duration_seconds",
    "end_user_id",
    "metadata",
    "agent_name",
    "config_hash",
  ],
];

describe("webhook payloads", () => {
  it("have the documented session fields, no more and no fewer", () => {
    for (const payload of [
      callEnded(inbound, "hangup"),
      callAnalyzed(inbound, { status: "skipped", finishedAt }),
      dialFinished(outbound, "busy", null),
    ]) {
      expect(Object.keys(payload.session)).toEqual(sessionFields);
    }
  });

  it("tell that a call ended", () => {
    expect(callEnded(inbound, "hangup")).toEqual({
      event: "call.ended",
      session: {
        id: "s1",
        agent_id: "a1",
        branch_id: null,
        source: "api",
        status: "completed",
        direction: "inbound",
        dial_status: null,
        answered_by: null,
        batch_call_id: null,
        conversation_started_at: "2026-01-01T10:00:00.000Z",
        conversation_ended_at: "2026-01-01T10:01:30.400Z",
        duration_seconds: 90,
        end_user_id: "user-7",
        metadata: { order: 12, nested: { a: [1, null] } },
        agent_name: "Front desk",
        config_hash: "abc",
      },
      ended_reason: "hangup",
    });
  });

  it("give empty values where the client gave none, and no dial facts of inbound sessions", () => {
    const { session } = callEnded(
      { ...inbound, dialStatus: "answered", answeredBy: "human", endUserId: null, metadata: null },
      "error",
    );
    expect(session).toMatchObject({ dial_status: null, answered_by: null, end_user_id: "", metadata: {} });
  });

  it("tell of an analysis, whose results only come when it completed", () => {
    const data = [{ name: "mood", type: "enum" as const, value: "happy", rationale: "laughed" }];
    const criteriaResults = [{ name: "greeted", result: "success" as const, rationale: "" }];
    const completed = callAnalyzed(inbound, {
      status: "completed",
      summary: "A call.",
      data,
      criteriaResults,
      finishedAt,
    });
    expect(completed.analysis).toEqual({
      status: "completed",
      summary: "A call.",
      data,
      criteria_results: criteriaResults,
      error: null,
      finished_at: "2026-01-01T10:02:00.000Z",
    });
    const empty = { summary: null, data: [], criteria_results: [], finished_at: "2026-01-01T10:02:00.000Z" };
    expect(callAnalyzed(inbound, { status: "skipped", finishedAt }).analysis).toEqual({
      ...empty,
      status: "skipped",
      error: null,
    });
    expect(callAnalyzed(inbound, { status: "error", error: "no model", finishedAt }).analysis).toEqual({
      ...empty,
      status: "error",
      error: "no model",
    });
  });

  it("tell how a dial was resolved, with the facts of that moment", () => {
    const ringing = { ...outbound, status: "active", dialStatus: null, answeredBy: null, conversationEndedAt: null };
    const answered = dialFinished(ringing, "answered", "voicemail");
    expect(answered).toMatchObject({
      event: "phone_call.dial_finished",
      dial_status: "answered",
      answered_by: "voicemail",
    });
    expect(answered.session).toMatchObject({
      dial_status: "answered",
      answered_by: "voicemail",
      conversation_ended_at: null,
      duration_seconds: null,
    });
    expect(dialFinished(ringing, "busy", "human")).toMatchObject({ dial_status: "busy", answered_by: null });
  });

  it("are told apart by event, session and the end of the analysis", () => {
    const again = callAnalyzed(inbound, { status: "skipped", finishedAt: new Date("2026-01-02T00:00:00.000Z") });
    const keys = [
      callEnded(inbound, "hangup"),
      callAnalyzed(inbound, { status: "skipped", finishedAt }),
      again,
      dialFinished(outbound, "busy", null),
    ].map(dedupKey);
    expect(new Set(keys).size).toBe(4);
    expect(dedupKey(callEnded(inbound, "error"))).toBe(keys[0]);
  });
});
