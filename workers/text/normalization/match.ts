import type { Token } from "./tokens.js";

/** Spoken words for `tokens` neighbouring source tokens. */
export interface Reading {
  tokens: number;
  /** Words only; punctuation comes from the last token read. */
  spoken: string;
  /** Replaces the punctuation after the last token: an abbreviation's full stop is not a pause. */
  trail?: string;
}

/**
 * What a classifier makes of the tokens from `index` on: readings in source order, or null when they are none of its
 * business.
 */
export type Classifier = (tokens: readonly Token[], index: number, options: ReadingOptions) => Reading[] | null;

export interface ReadingOptions {
  /** 11/12 is 11 December. */
  dayFirst: boolean;
  /** Reads a token as a whole sentence's token would be; for parts of compounds such as ranges. */
  read: (core: string) => string;
}

/** One reading for one token. */
export function single(spoken: string, trail?: string): Reading[] {
  return [trail === undefined ? { tokens: 1, spoken } : { tokens: 1, spoken, trail }];
}

/** Whether nothing but a space parts this token from the next. */
export function joinsNext(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1];
  return next !== undefined && tokens[index]?.trail === "" && next.lead === "" && !next.startsBlock;
}

/** Whether a word begins with a capital letter. */
export function isCapitalized(word: string | undefined): boolean {
  return word !== undefined && /^\p{Lu}/u.test(word);
}

/** The token's word without case, or "" outside the text. */
export function lowerCore(tokens: readonly Token[], index: number): string {
  return tokens[index]?.core.toLowerCase() ?? "";
}
