import { endsSentence } from "./phrasing.js";
import type { SpokenToken } from "./tokens.js";

/** What is added to the voice's own intonation of a word. */
export interface Accent {
  pitchSemitones: number;
  durationFactor: number;
  /** Only from the word's last stressed vowel on. */
  atEnd: boolean;
}

const emphasis: Accent = { pitchSemitones: 2.5, durationFactor: 1.12, atEnd: false };
const listItem: Accent = { pitchSemitones: 1.5, durationFactor: 1, atEnd: true };

/** Longest item of a list, in words: longer ones are clauses. */
const LONGEST_ITEM = 4;

/** The accent of each token, null for most: words that the writer stressed, and the items of a list before its last. */
export function accents(tokens: readonly SpokenToken[], isEmphasized: (index: number) => boolean): (Accent | null)[] {
  const rising = listItems(tokens);
  return tokens.map((token, index) => {
    if (token.kind !== "word") return null;
    if (isEmphasized(index)) return emphasis;
    return rising.has(index) ? listItem : null;
  });
}

/** Last words of list items: short parts between commas, at least two before one that begins with "and" or "or". */
export function listItems(tokens: readonly SpokenToken[]): Set<number> {
  const found = new Set<number>();
  let commas: number[] = [];
  let partStart = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== "pause") continue;
    const isShort = index - partStart <= LONGEST_ITEM;
    const firstPart = commas.length === 0;
    if (endsSentence(token) || token.mark !== ",") {
      const opener = tokens[partStart];
      const isLast = opener?.kind === "word" && /^(?:and|or)$/i.test(opener.text);
      if (isLast && commas.length >= 2) for (const comma of commas) found.add(comma - 1);
      commas = [];
    } else if (isShort || firstPart) commas.push(index);
    else commas = [index];
    partStart = index + 1;
  }
  return found;
}
