import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { Dialogue, type DialogueOptions } from "./dialogue.js";
import { Memory } from "./memory.js";

/**
 * A dialogue that goes on where a conversation's log ends; what it wants done at once is in `takeActions`. It takes the
 * caller to be in the room if the log says so: put in `caller-left` where that is not so. What is played counts from
 * the first text that this dialogue speaks.
 */
export function resumeDialogue(
  records: readonly ConversationRecord[],
  options: DialogueOptions & {
    /** Milliseconds since 1970 at `nowMs`. */
    nowEpochMs: number;
  },
): Dialogue {
  const { nowMs, nowEpochMs, settings } = options;
  const memory = new Memory(settings.tools);
  for (const record of records) memory.apply(record);
  const joined = records.find(({ type }) => type === "caller-joined");
  // Clocks of two machines differ; nobody joins in the future.
  const joinedAtMs = joined === undefined ? null : nowMs - Math.max(0, nowEpochMs - joined.atEpochMs);
  // Longer than any log that a former runtime went on from, so that its transcripts are not replaced.
  return new Dialogue(options, { memory, joinedAtMs, segmentPrefix: `${records.length}-` });
}
