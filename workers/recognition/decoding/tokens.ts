import { withoutTrailing } from "#common/text/trim";

/** The symbols of a recognizer: `names[id]`, and which of them is the blank. */
export interface Tokens {
  names: string[];
  blank: number;
}

/** Thrown with a reason for a file that is no list of tokens. */
export class TokensProblem extends Error {
  override readonly name = "TokensProblem";
}

const blankNames = ["<blk>", "<blank>", "<eps>"];

/**
 * Reads `tokens.txt`: a line `symbol id` for each, in any order, ids from 0 without a gap; a symbol may be a space.
 * Throws `TokensProblem`.
 */
export function readTokens(text: string): Tokens {
  const names: string[] = [];
  for (const [i, line] of withoutTrailing(text, "\n").split(/\r?\n/).entries()) {
    const full = line.trimEnd();
    const number = /[ \t]\d{1,6}$/.exec(full);
    if (number === null) throw new TokensProblem(`line ${i + 1} is not a symbol and its number`);
    const id = Number(number[0]);
    if (names[id] !== undefined) throw new TokensProblem(`the number ${id} is there twice`);
    const name = withoutTrailing(full.slice(0, number.index), " \t");
    names[id] = name === "" ? " " : name;
  }
  const gap = Array.from<string | undefined>(names).indexOf(undefined);
  if (gap >= 0) throw new TokensProblem(`no symbol has the number ${gap}`);
  const blank = names.findIndex((name) => blankNames.includes(name));
  if (blank < 0) throw new TokensProblem(`none of the symbols is the blank (${blankNames.join(", ")})`);
  return { names, blank };
}
