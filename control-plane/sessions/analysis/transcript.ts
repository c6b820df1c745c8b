import type { SessionItem } from "#protocol/agents/session";
import { type ConversationRecord, conversationStream, conversationSubject } from "#protocol/bus/conversation-log";
import type { SessionContext } from "../context.js";
import { toItems } from "../entity.js";
import { itemOf, type NewItem, storableText } from "../log-items.js";
import { itemsOf } from "../store.js";
import type { SessionItemRow, SessionRow } from "../tables.js";

/** Longest input or output of a tool that is shown to whoever analyzes, UTF-16 units. */
const MAX_TOOL_CHARACTERS = 2000;
/** All items together as JSON, bytes: with the plan they must fit into a message of the bus. */
const MAX_ITEMS_BYTES = 1024 * 1024;

/** Items of a session, of which the first ones are left out where all are too many. */
export interface BoundedItems {
  items: SessionItem[];
  omittedItems: number;
}

/**
 * What was said and done in a session that is over. While its log is there, what another instance has taken of it and
 * not yet written into the records is read from the log. Throws `dependency_unavailable`.
 */
export async function readTranscript(
  { db, bus }: Pick<SessionContext, "db" | "bus">,
  session: Pick<SessionRow, "id" | "purgeAt">,
): Promise<SessionItem[]> {
  const { id: sessionId, purgeAt } = session;
  const log =
    purgeAt === null
      ? []
      : await bus.subjectLog(conversationStream).read<ConversationRecord>(conversationSubject(sessionId));
  // After the log: what is deleted of it meanwhile is in the records.
  const stored = await itemsOf(db, sessionId);
  return toItems(withLog(stored, log, sessionId));
}

/** Items with those of the log that are not among them yet. A reply stands where it ended. Pure. */
export function withLog(
  stored: readonly SessionItemRow[],
  log: readonly { sequence: number; message: ConversationRecord }[],
  sessionId: string,
): SessionItemRow[] {
  const items = new Map(stored.map((item) => [item.key, item]));
  for (const { sequence, message } of log) {
    const item = readItem(message, sequence);
    if (item === null) continue;
    if (!items.has(item.key) || message.type === "reply-ended") items.set(item.key, { ...item, sessionId });
  }
  return [...items.values()];
}

function readItem(record: ConversationRecord, sequence: number): NewItem | null {
  try {
    return itemOf(record, sequence);
  } catch {
    return null; // A record that no release can have written; whoever writes the records says so.
  }
}

/** Items as whoever analyzes gets them: long texts of tools shortened, and of too many items the last ones. Pure. */
export function boundItems(items: readonly SessionItem[], maxBytes = MAX_ITEMS_BYTES): BoundedItems {
  const shortened = items.map(shorten);
  let first = shortened.length;
  let bytes = 0;
  while (first > 0) {
    bytes += Buffer.byteLength(JSON.stringify(shortened[first - 1]));
    if (bytes > maxBytes) break;
    first--;
  }
  return { items: shortened.slice(first), omittedItems: first };
}

function shorten(item: SessionItem): SessionItem {
  switch (item.type) {
    case "message":
      return item;
    case "tool_call":
      return { ...item, input: beginning(item.input) };
    case "tool_result":
      return {
        ...item,
        output: item.output === null ? null : beginning(item.output),
        error: item.error === null ? null : beginning(item.error),
      };
  }
}

function beginning(text: string): string {
  return text.length <= MAX_TOOL_CHARACTERS ? text : `${storableText(text.slice(0, MAX_TOOL_CHARACTERS))}…`;
}
