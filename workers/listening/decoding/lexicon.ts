import { FIRST_WORD_ID, type WordsFile } from "./words-file.js";

/** The pronunciations as a tree: node 0 is the root, each edge a symbol. Children and words of node `n` lie between `starts[n]` and `starts[n + 1]`. */
export interface Lexicon {
  childStarts: Int32Array;
  childSymbols: Uint8Array;
  childNodes: Int32Array;
  wordStarts: Int32Array;
  /** Word ids of the language model. */
  wordIds: Int32Array;
  /** Highest unigram log probability of the words at or below the node; 0 at the root. */
  lookAhead: Float64Array;
}

/** Builds the tree; pronunciations of no symbols are left out. */
export function buildLexicon({ pronunciations }: WordsFile, unigram: (word: number) => number): Lexicon {
  const { symbols, starts, wordOf } = pronunciations;
  const children: Map<number, number>[] = [new Map()];
  const words: Set<number>[] = [new Set()];
  const best: number[] = [0];
  for (const [i, word] of wordOf.entries()) {
    const [from, to] = [starts[i] as number, starts[i + 1] as number];
    if (from === to) continue;
    const id = word + FIRST_WORD_ID;
    const likely = unigram(id);
    let node = 0;
    for (let k = from; k < to; k++) {
      const symbol = symbols[k] as number;
      const next = children[node]?.get(symbol) ?? children.length;
      if (next === children.length) {
        children[node]?.set(symbol, next);
        children.push(new Map());
        words.push(new Set());
        best.push(Number.NEGATIVE_INFINITY);
      }
      node = next;
      best[node] = Math.max(best[node] as number, likely);
    }
    words[node]?.add(id);
  }
  const edges = children.map((map) => [...map].sort(([a], [b]) => a - b));
  return {
    childStarts: startsOf(edges),
    childSymbols: Uint8Array.from(edges.flat(), ([symbol]) => symbol),
    childNodes: Int32Array.from(edges.flat(), ([, node]) => node),
    wordStarts: startsOf(words.map((set) => [...set])),
    wordIds: Int32Array.from(words.flatMap((set) => [...set].sort((a, b) => a - b))),
    lookAhead: Float64Array.from(best),
  };
}

function startsOf(lists: readonly (readonly unknown[])[]): Int32Array {
  const starts = new Int32Array(lists.length + 1);
  for (const [i, list] of lists.entries()) starts[i + 1] = (starts[i] as number) + list.length;
  return starts;
}
