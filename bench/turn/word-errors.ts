/** What it takes to make one text of another, in words. */
export interface WordErrors {
  words: number;
  substituted: number;
  inserted: number;
  deleted: number;
}

export const noErrors = (): WordErrors => ({ words: 0, substituted: 0, inserted: 0, deleted: 0 });

export const addErrors = (a: WordErrors, b: WordErrors): WordErrors => ({
  words: a.words + b.words,
  substituted: a.substituted + b.substituted,
  inserted: a.inserted + b.inserted,
  deleted: a.deleted + b.deleted,
});

/** In percent of the words that were said. */
export const rate = ({ words, substituted, inserted, deleted }: WordErrors): number =>
  (100 * (substituted + inserted + deleted)) / Math.max(1, words);

/** Least word errors of what was recognized against what was said. */
export function wordErrors(said: string, recognized: string): WordErrors {
  const [reference, hypothesis] = [words(said), words(recognized)];
  let row: WordErrors[] = [noErrors()];
  for (let column = 1; column <= hypothesis.length; column++) row.push({ ...noErrors(), inserted: column });
  for (const word of reference) {
    const above = row;
    row = [{ ...(above[0] as WordErrors), deleted: (above[0] as WordErrors).deleted + 1 }];
    for (const [column, other] of hypothesis.entries()) {
      const [diagonal, up, left] = [above[column], above[column + 1], row[column]] as [
        WordErrors,
        WordErrors,
        WordErrors,
      ];
      const change = word === other ? diagonal : { ...diagonal, substituted: diagonal.substituted + 1 };
      const options = [change, { ...up, deleted: up.deleted + 1 }, { ...left, inserted: left.inserted + 1 }];
      row.push(options.reduce((best, option) => (cost(option) < cost(best) ? option : best)));
    }
  }
  return { ...(row.at(-1) as WordErrors), words: reference.length };
}

const cost = ({ substituted, inserted, deleted }: WordErrors): number => substituted + inserted + deleted;
/** The words of a text, in lower case. */
export const words = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? [];
