import type { ConversationRecord } from "#protocol/bus/conversation-log";
import type { TestDefinition } from "#protocol/agents/tests";

type UnstampedRecord = ConversationRecord extends infer R
  ? R extends ConversationRecord
    ? Omit<R, "id" | "atEpochMs">
    : never
  : never;

/** A scripted conversation: the log of what has been said, and what the caller says now. */
export interface ScriptedPast {
  records: ConversationRecord[];
  /** Null where the script does not end with the caller. */
  lastWords: string | null;
}

/**
 * The conversation of a test as the log of one that has taken place, up to the caller's last words. Messages of one
 * side in a row are one. Pure.
 */
export function scriptedPast(conversation: TestDefinition["conversation"], atEpochMs: number): ScriptedPast {
  const turns: { role: "user" | "agent"; text: string }[] = [];
  for (const { role, text } of conversation) {
    const last = turns.at(-1);
    if (last?.role === role) last.text = `${last.text}\n${text}`;
    else turns.push({ role, text });
  }
  const lastWords = turns.at(-1)?.role === "user" ? (turns.pop()?.text ?? null) : null;
  const records: ConversationRecord[] = [];
  const add = (record: UnstampedRecord): void => {
    records.push({ ...record, id: `scripted-${records.length}`, atEpochMs } as ConversationRecord);
  };
  add({ type: "caller-joined" });
  let turnId = 0;
  for (const [index, { role, text }] of turns.entries()) {
    if (role === "user") {
      add({ type: "caller-said", turnId: ++turnId, text });
      continue;
    }
    const replyId = `scripted-${index}`;
    add({ type: "reply-started", replyId, turnId, responder: "scripted" });
    add({ type: "reply-text", replyId, text });
    add({ type: "reply-complete", replyId });
    add({ type: "reply-ended", replyId, turnId, text, isInterrupted: false });
  }
  return { records, lastWords };
}
