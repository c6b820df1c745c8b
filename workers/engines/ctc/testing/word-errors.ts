/**
 * Which of the recognized words are right and how many errors (wrong, missing and added words) there are, by the
 * alignment with the fewest.
 */
export function compareWords(
  said: readonly string[],
  recognized: readonly string[],
): { errors: number; right: boolean[] } {
  const costs = Array.from({ length: said.length + 1 }, () => new Array<number>(recognized.length + 1).fill(0));
  const cost = (i: number, j: number): number => costs[i]?.[j] ?? Number.POSITIVE_INFINITY;
  const change = (i: number, j: number): number => (said[i - 1] === recognized[j - 1] ? 0 : 1);
  for (let i = 0; i <= said.length; i++) {
    for (let j = 0; j <= recognized.length; j++) {
      const row = costs[i] as number[];
      row[j] =
        i === 0 || j === 0
          ? i + j
          : Math.min(cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + change(i, j));
    }
  }
  const right = new Array<boolean>(recognized.length).fill(false);
  for (let [i, j] = [said.length, recognized.length]; i > 0 && j > 0; ) {
    if (cost(i, j) === cost(i - 1, j - 1) + change(i, j)) {
      right[--j] = change(i--, j + 1) === 0;
    } else if (cost(i, j) === cost(i - 1, j) + 1) i--;
    else j--;
  }
  return { errors: cost(said.length, recognized.length), right };
}
