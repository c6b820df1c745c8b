import { type ConversationRecord, conversationStream, conversationSubject } from "#protocol/bus/conversation-log";
import { ServiceError } from "#protocol/errors";
import { type Bus, LogConflict } from "#common/bus/bus";
import { newIdentifier } from "#common/identifier";

/** The conversation is somebody else's, under a later attempt, or it has ended. Nothing was written. */
export class ConversationGone extends Error {
  override readonly name = "ConversationGone";
  readonly outcome: "lost" | "ended";

  constructor(outcome: "lost" | "ended") {
    super(outcome === "ended" ? "the conversation has ended already" : "a later attempt holds the conversation");
    this.outcome = outcome;
  }
}

/** A log as one runtime took it. */
export interface TakenLog {
  /** What is in it, before the record that took it. */
  past: ConversationRecord[];
  /** Sequence of the record that took it: the next one goes behind it. */
  after: number;
}

/** A former runtime that still writes has said what it had to say long before. */
const MOST_TRIES = 20;

/** What is in a conversation's log so far. */
export async function readLog(
  bus: Pick<Bus, "subjectLog">,
  sessionId: string,
): Promise<{ sequence: number; message: ConversationRecord }[]> {
  return await bus.subjectLog(conversationStream).read<ConversationRecord>(conversationSubject(sessionId));
}

/**
 * Makes a conversation's log this runtime's: whoever held the conversation before can write no more, since its next
 * record would come behind one that it does not know. A runtime that was taken for dead may still write until then, and
 * what it wrote belongs to the conversation, so the log is read again; `read` is what it held a moment ago. Rejects
 * with `ConversationGone`, and with a `ServiceError` where the log cannot be had.
 */
export async function takeLog(
  bus: Pick<Bus, "subjectLog">,
  taking: { sessionId: string; runtimeId: string; attempt: number; atEpochMs: number },
  read: { sequence: number; message: ConversationRecord }[],
): Promise<TakenLog> {
  const { sessionId, runtimeId, attempt, atEpochMs } = taking;
  const log = bus.subjectLog(conversationStream);
  const taken: ConversationRecord = { type: "taken", runtimeId, attempt, id: newIdentifier(), atEpochMs };
  let stored = read;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    // The server may have stored it without our hearing of that.
    const own = stored.findIndex(({ message }) => message.id === taken.id);
    if (own >= 0) return { past: recordsOf(stored.slice(0, own)), after: stored[own]?.sequence ?? 0 };
    const past = recordsOf(stored);
    if (past.some(({ type }) => type === "ended")) throw new ConversationGone("ended");
    if (past.some((record) => record.type === "taken" && record.attempt > attempt)) throw new ConversationGone("lost");
    try {
      return { past, after: await log.append(conversationSubject(sessionId), taken, stored.at(-1)?.sequence ?? 0) };
    } catch (error) {
      if (!(error instanceof LogConflict)) throw error;
    }
    stored = await readLog(bus, sessionId);
  }
  throw new ServiceError("dependency_unavailable", { parameters: { dependency: "The log" } });
}

const recordsOf = (stored: readonly { message: ConversationRecord }[]): ConversationRecord[] =>
  stored.map(({ message }) => message);
