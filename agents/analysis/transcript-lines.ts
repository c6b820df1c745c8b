import type { SessionItem } from "#protocol/agents/session";
import type { TokenCounter } from "#common/text/token-count";

/** Longest message that is shown whole, UTF-16 units: a caller may send more in one. */
const MAX_MESSAGE_CHARACTERS = 8000;

/** What follows a line besides its text. */
const TOKENS_PER_LINE = 2;

/**
 * What was said and done, a line each in order, as models read it. Texts are quoted as JSON, so that none can pass for
 * another line. Pure.
 */
export function transcriptLines(items: readonly SessionItem[]): string[] {
  return items.map((item) => {
    switch (item.type) {
      case "message":
        return `${item.role === "user" ? "Caller" : "Agent"}: ${quoted(item.content)}`;
      case "tool_call":
        return `Agent calls ${quoted(item.tool_name)} with ${quoted(item.input)}`;
      case "tool_result":
        return `Result of ${quoted(item.tool_name)}: ${item.status === "failed" ? `failed: ${quoted(item.error ?? "")}` : quoted(item.output ?? "")}`;
    }
  });
}

function quoted(text: string): string {
  const whole = text.length <= MAX_MESSAGE_CHARACTERS;
  return JSON.stringify(whole ? text : `${text.slice(0, MAX_MESSAGE_CHARACTERS)}…`);
}

/**
 * The lines of a conversation that have at most `maxTokens` together: all, or its beginning, with a quarter of the
 * tokens, and its end, with a line between them that says how many are left out. `omitted` lines before the first are
 * gone already. Pure.
 */
export function cutLines(
  lines: readonly string[],
  { omitted, maxTokens, countTokens }: { omitted: number; maxTokens: number; countTokens: TokenCounter },
): string[] {
  const fitting = (from: readonly string[], tokens: number): number => {
    let left = tokens;
    const tooMany = from.findIndex((line) => {
      left -= countTokens(line) + TOKENS_PER_LINE;
      return left < 0;
    });
    return tooMany === -1 ? from.length : tooMany;
  };
  if (omitted === 0 && fitting(lines, maxTokens) === lines.length) return [...lines];
  // Where the beginning is gone already, there is none to keep.
  const first = omitted > 0 ? 0 : fitting(lines, Math.floor(maxTokens / 4));
  const rest = lines.slice(first);
  const last = Math.max(1, fitting(rest.toReversed(), maxTokens - Math.floor(first === 0 ? 0 : maxTokens / 4)));
  const leftOut = omitted + rest.length - last;
  const gap =
    leftOut === 0 ? [] : [`[${leftOut} lines are left out here: the conversation is too long to be shown whole.]`];
  return [...lines.slice(0, first), ...gap, ...rest.slice(rest.length - last)];
}
