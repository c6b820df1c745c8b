/** What typed text asks for, beside what was sent of it. */
export type TypedText =
  /** Words that are complete since; empty where none is. */
  | { kind: "more"; text: string }
  /** What was sent stands no longer at the beginning: it cannot be taken back. */
  | { kind: "changed" };

/** The words to send of what was typed: all up to the last blank, since the word after it may go on. */
export function completeWords(sent: string, typed: string): TypedText {
  if (!typed.startsWith(sent)) return { kind: "changed" };
  const end = Math.max(typed.lastIndexOf(" "), typed.lastIndexOf("\n")) + 1;
  return { kind: "more", text: typed.slice(sent.length, Math.max(sent.length, end)) };
}
