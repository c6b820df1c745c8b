import { rankOf, type TokenTable } from "./token-table.js";

/** Counts the tokens that one word's bytes, `bytes` up to `length`, are encoded in. */
export function countBytePairs(table: TokenTable, bytes: Uint8Array, length: number): number {
  if (length === 0) return 0;
  if (rankOf(table, bytes, 0, length) >= 0) return 1;
  // `starts[i]` to `starts[i + 1]` is a part, `ranks[i]` the rank of the token that it makes with the next one.
  const starts = Array.from({ length: length + 1 }, (_, at) => at);
  const rankAt = (part: number): number => {
    const [from, to] = [starts[part], starts[part + 2]];
    const rank = from === undefined || to === undefined ? -1 : rankOf(table, bytes, from, to);
    return rank < 0 ? Number.POSITIVE_INFINITY : rank;
  };
  const ranks = starts.slice(0, length).map((_, part) => rankAt(part));
  for (;;) {
    let [lowest, at] = [Number.POSITIVE_INFINITY, -1];
    for (let part = 0; part < ranks.length; part++) {
      const rank = ranks[part] as number;
      if (rank < lowest) [lowest, at] = [rank, part];
    }
    if (at < 0) return ranks.length;
    starts.splice(at + 1, 1);
    ranks.splice(at + 1, 1);
    ranks[at] = rankAt(at);
    if (at > 0) ranks[at - 1] = rankAt(at - 1);
  }
}
