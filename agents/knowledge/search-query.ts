import type { DialogueMessage } from "../dialogue/input.js";
import { termsOf } from "#common/text/terms";

/** With fewer terms, what was said before belongs to the question: "And on Sundays?" */
const FEW_TERMS = 3;
/** Longest query, in UTF-16 units; of more the end counts. */
const MAX_CHARACTERS = 2000;

/**
 * What to search for: the caller's last words, and those of the turn before them when they are few. Null where the
 * caller has said nothing that could be searched for. Pure.
 */
export function searchQuery(history: readonly DialogueMessage[]): string | null {
  const turns = callerTurns(history);
  const last = turns.at(-1) ?? "";
  const before = turns.at(-2);
  const isFew = termsOf(last).length < FEW_TERMS;
  const query = isFew && before !== undefined ? `${before} ${last}` : last;
  return termsOf(query).length === 0 ? null : query.slice(-MAX_CHARACTERS);
}

/** What the caller said, a text for each turn. */
function callerTurns(history: readonly DialogueMessage[]): string[] {
  const turns: { turnId: number; text: string }[] = [];
  for (const message of history) {
    if (message.role !== "caller") continue;
    const last = turns.at(-1);
    if (last?.turnId === message.turnId) last.text += ` ${message.text}`;
    else turns.push({ turnId: message.turnId, text: message.text });
  }
  return turns.map(({ text }) => text);
}
