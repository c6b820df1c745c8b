import { words } from "./word-errors.js";

/** What a segment became, and what its partial results were, in order. */
export interface Understood {
  text: string;
  partials: string[];
}

/** How far partial results are from what they become. */
export interface PartialFigures {
  partials: number;
  /** Words of partial results, and those of them that are others in the end, or not there. */
  words: number;
  changed: number;
  /** The same without the last word of each partial result, which may have been cut in the middle. */
  settledWords: number;
  settledChanged: number;
  /** Partial results that took a word back, or changed one, of the partial result before, its last word aside. */
  revisions: number;
}

/** To begin with. */
export const noPartials = (): PartialFigures => ({
  partials: 0,
  words: 0,
  changed: 0,
  settledWords: 0,
  settledChanged: 0,
  revisions: 0,
});

/** Adds the partial results of one segment. */
export function addPartials(figures: PartialFigures, { text, partials }: Understood): PartialFigures {
  const become = words(text);
  return partials.reduce((sum, partial, at) => {
    const given = words(partial);
    const settled = given.slice(0, -1);
    const before = words(partials[at - 1] ?? "").slice(0, -1);
    return {
      partials: sum.partials + 1,
      words: sum.words + given.length,
      changed: sum.changed + changesToBegin(given, become),
      settledWords: sum.settledWords + settled.length,
      settledChanged: sum.settledChanged + changesToBegin(settled, become),
      revisions: sum.revisions + (changesToBegin(before, given) > 0 ? 1 : 0),
    };
  }, figures);
}

/** The fewest words to change, leave out or put in before `given` is how `whole` begins. */
export function changesToBegin(given: readonly string[], whole: readonly string[]): number {
  let row = Array.from({ length: whole.length + 1 }, (_, column) => column);
  for (const word of given) {
    const above = row;
    row = [(above[0] ?? 0) + 1];
    for (const [column, other] of whole.entries()) {
      const [diagonal = 0, up = 0, left = 0] = [above[column], above[column + 1], row[column]];
      row.push(Math.min(diagonal + (word === other ? 0 : 1), up + 1, left + 1));
    }
  }
  return Math.min(...row);
}
