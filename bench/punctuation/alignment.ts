type Pair = readonly [said: string | null, found: string | null];

/**
 * Pairs of words by the alignment with the fewest errors, whatever their marks and capitals; null where one has no
 * partner.
 */
export function alignedWords(said: readonly string[], found: readonly string[]): Pair[] {
  const bare = (word: string | undefined): string => (word ?? "").toLowerCase().replace(/[^a-z0-9']/g, "");
  const costs = Array.from({ length: said.length + 1 }, (_, i) =>
    Array.from({ length: found.length + 1 }, (_unused, j) => (i === 0 || j === 0 ? i + j : 0)),
  );
  const cost = (i: number, j: number): number => costs[i]?.[j] ?? Number.POSITIVE_INFINITY;
  const change = (i: number, j: number): number => (bare(said[i - 1]) === bare(found[j - 1]) ? 0 : 1);
  for (let i = 1; i <= said.length; i++)
    for (let j = 1; j <= found.length; j++)
      (costs[i] as number[])[j] = Math.min(cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + change(i, j));
  const pairs: Pair[] = [];
  for (let [i, j] = [said.length, found.length]; i > 0 || j > 0; ) {
    const isPair = i > 0 && j > 0 && cost(i, j) === cost(i - 1, j - 1) + change(i, j);
    const isMissed = !isPair && i > 0 && cost(i, j) === cost(i - 1, j) + 1;
    pairs.push([isPair || isMissed ? (said[i - 1] ?? null) : null, isMissed ? null : (found[j - 1] ?? null)]);
    if (isPair || isMissed) i--;
    if (!isMissed) j--;
  }
  return pairs.reverse();
}
