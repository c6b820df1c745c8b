import type { ConversationRecord } from "#protocol/bus/conversation-log";
import type { SessionItemRow } from "./tables.js";

/** A row to write for a record; null for a record that is no item. */
export type NewItem = Omit<SessionItemRow, "sessionId">;

/**
 * What a record of a conversation's log adds to the session's items. A reply is one item, from its first record on, at
 * the time of its last one; every other item is named by the record's place in the stream, so that a record that
 * comes again adds nothing.
 */
export function itemOf(record: ConversationRecord, sequence: number): NewItem | null {
  const createdAt = new Date(record.atEpochMs);
  const own = { key: `record:${sequence}`, sequence, createdAt };
  switch (record.type) {
    case "caller-said":
      return {
        ...own,
        type: "message",
        turnId: record.turnId,
        content: { role: "user", content: storableText(record.text) },
      };
    case "reply-started":
    case "reply-ended": {
      const isOver = record.type === "reply-ended";
      const content = isOver ? storableText(record.text) : "";
      const interrupted = isOver && record.isInterrupted === true ? { interrupted: true } : {};
      const reply = { key: `reply:${record.replyId}`, sequence, createdAt, turnId: record.turnId };
      return { ...reply, type: "message", content: { role: "assistant", content, ...interrupted } };
    }
    case "tool-called":
      return {
        ...own,
        type: "tool_call",
        turnId: record.turnId,
        content: { ...calledOf(record), input: storableText(record.input) },
      };
    case "tool-answered":
      return {
        ...own,
        type: "tool_result",
        turnId: record.turnId,
        content: {
          ...calledOf(record),
          status: record.status,
          output: record.output === null ? null : storableText(record.output),
          output_truncated: record.isOutputTruncated,
          error: record.error === null ? null : storableText(record.error),
          latency_ms: roundedOf(record.latencyMs),
        },
      };
    case "turn-latency":
      return { ...own, type: "turn_latency", turnId: record.turnId, content: latencyOf(record) };
    default:
      return null;
  }
}

/** What models, tools and callers say, as the database can keep it: without NUL and halves of surrogate pairs. */
export function storableText(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").replace(/\p{Surrogate}/gu, "\ufffd");
}

function calledOf({ callId, name, source }: Extract<ConversationRecord, { type: "tool-called" | "tool-answered" }>) {
  return { call_id: storableText(callId), tool_name: storableText(name), tool_source: source };
}

function latencyOf({ latency }: Extract<ConversationRecord, { type: "turn-latency" }>): Record<string, unknown> {
  if (!Number.isFinite(latency.totalMs)) throw new TypeError("a latency is no number");
  return {
    total_ms: Math.round(latency.totalMs),
    endpointing_ms: roundedOf(latency.endpointingMs),
    recognition_ms: roundedOf(latency.recognitionMs),
    model_first_token_ms: roundedOf(latency.modelFirstTokenMs),
    first_clause_ms: roundedOf(latency.firstClauseMs),
    first_audio_ms: roundedOf(latency.firstAudioMs),
  };
}

const roundedOf = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));
