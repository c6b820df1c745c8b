import { describe, expect, it } from "vitest";
import { sessionDetail } from "#protocol/agents/session";
import { toSessionDetail } from "./entity.js";
import type { SessionItemRow, SessionRow } from "./tables.js";

const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 22, 10, 0, seconds));

const row: SessionRow = {
  id: "s",
  teamId: "team",
  agentId: "a",
  agentName: "Ann",
  versionNumber: 1,
  configHash: "sha256:0",
  name: null,
  status: "completed",
  source: "api_key",
  direction: "inbound",
  dialStatus: null,
  answeredBy: null,
  callerNumber: null,
  dialedNumber: null,
  timezone: null,
  endUserId: null,
  metadata: { order: 1 },
  plan: {} as SessionRow["plan"],
  heldMicros: 1,
  runtimeId: "r",
  runtimeEpoch: "e",
  attempt: 1,
  givenUntil: null,
  unheldSince: null,
  joinBy: at(60),
  overBy: at(3600),
  createdAt: at(0),
  startedAt: at(1),
  endedAt: new Date(at(31).getTime() + 499),
  endedReason: "caller_left",
  endedDetail: null,
  settleAt: null,
  purgeAt: null,
  responder: "gpt",
  transfers: [],
};

const item = (
  type: SessionItemRow["type"],
  createdAt: Date,
  sequence: number,
  content: Record<string, unknown>,
): SessionItemRow => ({ sessionId: "s", key: String(sequence), sequence, type, turnId: 1, content, createdAt });

const message = { role: "user", content: "Hello" };
const call = { call_id: "c", tool_name: "order", tool_source: "webhook" };
const result = { ...call, status: "completed", output: "1", output_truncated: false, error: null, latency_ms: 5 };

describe("toSessionDetail", () => {
  it("puts items in the order of their time, and at one time a message before a call before its result", () => {
    const detail = toSessionDetail(
      row,
      [
        item("tool_result", at(2), 1, result),
        item("tool_call", at(2), 2, { ...call, input: "{}" }),
        item("message", at(2), 4, { role: "assistant", content: "second" }),
        item("message", at(2), 3, { role: "assistant", content: "first" }),
        item("message", at(1), 9, message),
      ],
      null,
    );
    expect(sessionDetail.parse(detail)).toEqual(detail);
    expect(detail.items.map((one) => (one.type === "message" ? one.content : one.type))).toEqual([
      "Hello",
      "first",
      "second",
      "tool_call",
      "tool_result",
    ]);
  });

  it("keeps latencies apart, and leaves out a reply that nobody has heard", () => {
    const detail = toSessionDetail(
      row,
      [
        item("message", at(1), 1, { role: "assistant", content: "" }),
        item("turn_latency", at(3), 2, { total_ms: 700, endpointing_ms: 300 }),
      ],
      null,
    );
    expect(detail.items).toEqual([]);
    expect(detail.turn_latencies).toEqual([{ turn_id: 1, total_ms: 700, endpointing_ms: 300 }]);
  });

  it("says in which turns the caller cut the agent off, once each, and not in the items", () => {
    const cutOff = { role: "assistant", content: "We open", interrupted: true };
    const detail = toSessionDetail(row, [item("message", at(2), 2, cutOff), item("message", at(1), 1, cutOff)], null);
    expect(detail.interrupted_turns).toEqual([1]);
    expect(detail.items[0]).not.toHaveProperty("interrupted");
    expect(toSessionDetail(row, [item("message", at(1), 1, message)], null).interrupted_turns).toEqual([]);
  });

  it("tells the end only when it is over", () => {
    expect(toSessionDetail(row, [], null)).toMatchObject({
      duration_seconds: 30,
      ended_at: "2026-11-22T10:00:31.499Z",
      ended_reason: "caller_left",
    });
    expect(toSessionDetail({ ...row, status: "active" }, [], null)).toMatchObject({
      duration_seconds: null,
      ended_at: null,
      ended_reason: null,
    });
    expect(toSessionDetail({ ...row, startedAt: null }, [], null)).toMatchObject({ duration_seconds: null });
  });
});
