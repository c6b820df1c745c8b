import type { TokenCounter } from "#common/text/token-count";
import type { ConversationPlan, KnowledgePassage } from "#protocol/bus/conversation";
import type { DialogueMessage } from "../dialogue/input.js";
import type { ModelMessage } from "../model/language-model.js";
import { addUser, historyMessages, newestTurns } from "./history.js";
import { note, withoutNotes } from "./notes.js";
import { systemPrompt } from "./system-prompt.js";

/** Tokens of what was said that go along with a request. */
const HISTORY_TOKENS = 8000;

export interface PromptOptions {
  plan: ConversationPlan;
  history: readonly DialogueMessage[];
  /** What was found for the caller's words, the best first. */
  passages: readonly KnowledgePassage[];
  /** For this request alone, as it is: variables in it were filled where it comes from. */
  instruction: string | null;
  countTokens: TokenCounter;
  now: Date;
}

/**
 * The messages of one request: the system prompt, the newest turns, the instruction. The instruction is a note in the
 * user's place, since endpoints want a user's message at the end and take system messages only at the beginning. Pure.
 */
export function buildMessages({
  plan,
  history,
  passages,
  instruction,
  countTokens,
  now,
}: PromptOptions): ModelMessage[] {
  const turns = newestTurns(history, HISTORY_TOKENS, countTokens);
  const messages = historyMessages(turns, turns.length < history.length);
  if (instruction !== null) addUser(messages, note(withoutNotes(instruction)));
  return [{ role: "system", content: systemPrompt({ plan, passages, countTokens, now }) }, ...messages];
}
