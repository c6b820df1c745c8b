import { type ChosenToken, highest, logSum } from "../encoder-decoder/tokens.js";
import type { Vocabulary } from "./vocabulary.js";
import type { WhisperSettings } from "./settings.js";

export type TokenRules = Pick<Vocabulary, "endOfText" | "firstTimestamp" | "steering"> &
  Pick<WhisperSettings, "suppressed" | "suppressedAtBegin" | "maxInitialTimestamp">;

const NEVER = Number.NEGATIVE_INFINITY;

/**
 * Chooses the likeliest token that may follow `text` (tokens after the prompt). Timestamps frame the phrases: the first
 * token is one, within the first second; they stand in pairs, end of one phrase and begin of the next, and never go
 * back; one is taken when all of them together are likelier than any text. `scores` is changed.
 */
export function chooseToken(scores: Float32Array, text: readonly number[], rules: TokenRules): ChosenToken {
  const { firstTimestamp, endOfText } = rules;
  for (const id of rules.steering) scores[id] = NEVER;
  for (const id of rules.suppressed) scores[id] = NEVER;
  if (text.length === 0) {
    for (const id of rules.suppressedAtBegin) scores[id] = NEVER;
    scores.fill(NEVER, 0, firstTimestamp);
    scores.fill(NEVER, firstTimestamp + rules.maxInitialTimestamp + 1);
  } else {
    const isTime = (id: number | undefined): boolean => id !== undefined && id >= firstTimestamp;
    const last = text.at(-1);
    const beforeLast = text.at(-2);
    const paired = text.length < 2 || isTime(beforeLast);
    if (isTime(last)) {
      if (paired) scores.fill(NEVER, firstTimestamp);
      else scores.fill(NEVER, 0, endOfText);
    }
    const latest = text.findLast((id) => isTime(id));
    // The begin of a phrase may be the end of the one before; an end is later than its begin.
    if (latest !== undefined) scores.fill(NEVER, firstTimestamp, isTime(last) && !paired ? latest : latest + 1);
    if (logSum(scores, firstTimestamp, scores.length) > highest(scores, 0, firstTimestamp))
      scores.fill(NEVER, 0, firstTimestamp);
  }
  let id = endOfText;
  for (let i = 0; i < scores.length; i++) if ((scores[i] as number) > (scores[id] as number)) id = i;
  return { id, logProbability: scores[id] === NEVER ? 0 : (scores[id] as number) - logSum(scores, 0, scores.length) };
}
