import { describe, expect, it } from "vitest";
import type { SessionItem } from "#protocol/agents/session";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { toItems } from "../entity.js";
import { boundItems, withLog } from "./transcript.js";

const stamped = (atEpochMs: number) => ({ id: String(atEpochMs), atEpochMs });
const caller = (text: string, at: number): ConversationRecord => ({
  ...{ type: "caller-said", turnId: 1, text },
  ...stamped(at),
});
const reply = (type: "reply-started" | "reply-ended", at: number): ConversationRecord =>
  type === "reply-started"
    ? { type, replyId: "r", turnId: 1, responder: "m", ...stamped(at) }
    : { type, replyId: "r", turnId: 1, text: "Done.", isInterrupted: false, ...stamped(at) };
const logged = (...records: unknown[]) =>
  records.map((message, index) => ({ sequence: index + 1, message: message as ConversationRecord }));
const texts = (items: readonly SessionItem[]): string[] =>
  items.map((item) => (item.type === "message" ? item.content : item.type));

describe("a session's items with those of its log", () => {
  const records = [caller("Hello?", 1), reply("reply-started", 2), reply("reply-ended", 4), caller("Thanks.", 5)];

  it("are whole whatever part of them the records have already", () => {
    const whole = withLog([], logged(...records), "s");
    expect(texts(toItems(whole))).toEqual(["Hello?", "Done.", "Thanks."]);
    for (let part = 0; part < whole.length; part++) {
      const stored = whole.filter((_, index) => index !== part);
      expect(withLog(stored, logged(...records), "s").toSorted((a, b) => a.sequence - b.sequence)).toEqual(whole);
    }
  });

  it("have the end of a reply of which the records know the beginning", () => {
    const stored = withLog([], logged(...records.slice(0, 2)), "s");
    expect(texts(toItems(stored))).toEqual(["Hello?"]);
    expect(texts(toItems(withLog(stored, logged(...records), "s")))).toEqual(["Hello?", "Done.", "Thanks."]);
  });

  it("leave out records that nobody can have written", () => {
    const nonsense = [null, 7, {}, { type: "caller-said", atEpochMs: 1, turnId: 1, text: 7 }];
    expect(texts(toItems(withLog([], logged(...nonsense, ...records), "s")))).toHaveLength(3);
  });
});

describe("items of a session for whoever analyzes it", () => {
  const message = (content: string): SessionItem => ({
    ...{ type: "message", role: "user", content, turn_id: 1, created_at: null },
  });
  const called = { call_id: "c", tool_name: "order", tool_source: "webhook", turn_id: 1, created_at: null };

  it("are all there where they fit, long texts of tools shortened", () => {
    const long = "x".repeat(2001);
    const result = { status: "completed", output_truncated: false, error: null, latency_ms: 1 } as const;
    const items: SessionItem[] = [
      message(long),
      { type: "tool_call", ...called, input: long },
      { type: "tool_result", ...called, ...result, output: `${"x".repeat(1999)}🙂` },
    ];
    const short = `${"x".repeat(2000)}…`;
    expect(boundItems(items)).toMatchObject({
      items: [{ content: long }, { input: short }, { output: `${"x".repeat(1999)}\ufffd…` }],
      omittedItems: 0,
    });
  });

  it("are the last ones where they do not fit", () => {
    const items = ["one", "two", "three"].map(message);
    const one = Buffer.byteLength(JSON.stringify(message("three")));
    expect(texts(boundItems(items, 2 * one).items)).toEqual(["two", "three"]);
    expect(boundItems(items, one - 1)).toEqual({ items: [], omittedItems: 3 });
  });
});
