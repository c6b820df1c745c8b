/** Share of the words of `expected` that are in `found` in the same order, without regard to case and marks. */
export function equalWords(found: string, expected: string): number {
  const [left, right] = [wordsOf(found), wordsOf(expected)];
  // Longest common subsequence; row by row.
  let row = new Array<number>(right.length + 1).fill(0);
  for (const word of left) {
    const next = [0];
    for (const [at, other] of right.entries())
      next.push(word === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return right.length === 0 ? 1 : (row.at(-1) ?? 0) / right.length;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
