import { FIRST_WORD_ID, type WordsFile } from "./words-file.js";

/**
 * The pronunciations as a tree: node 0 is the root, each edge a symbol. The children of node `n` are the entries `childStarts[n]` to
 * `childStarts[n + 1]`, its words those from `wordStarts[n]` to `wordStarts[n + 1]`.
 */
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
  // No more nodes than symbols and the root. Parents come before their children.
  const parent = new Int32Array(symbols.length + 1);
  const symbolOf = new Uint8Array(symbols.length + 1);
  const lookAhead = new Float64Array(symbols.length + 1).fill(Number.NEGATIVE_INFINITY, 1);
  const known = new Map<number, number>();
  const endings: { node: number; word: number }[] = [];
  const listed = new Set<number>();
  let nodes = 1;
  for (let i = 0; i < wordOf.length; i++) {
    const word = (wordOf[i] as number) + FIRST_WORD_ID;
    const likely = unigram(word);
    const to = starts[i + 1] as number;
    let node = 0;
    for (let k = starts[i] as number; k < to; k++) {
      const edge = node * 256 + (symbols[k] as number);
      const next = known.get(edge) ?? nodes++;
      if (next === nodes - 1) {
        known.set(edge, next);
        parent[next] = node;
        symbolOf[next] = symbols[k] as number;
      }
      node = next;
      if (likely > (lookAhead[node] as number)) lookAhead[node] = likely;
    }
    const ending = node * 65_536 + word;
    // Two pronunciations of a word may be the same.
    if (node === 0 || listed.has(ending)) continue;
    listed.add(ending);
    endings.push({ node, word });
  }
  const children = Array.from({ length: nodes - 1 }, (_, i) => i + 1);
  const edges = sortInto(nodes, children, (node) => parent[node] as number);
  const words = sortInto(nodes, endings, ({ node }) => node);
  return {
    childStarts: edges.starts,
    childSymbols: Uint8Array.from(edges.sorted, (node) => symbolOf[node] as number),
    childNodes: Int32Array.from(edges.sorted),
    wordStarts: words.starts,
    wordIds: Int32Array.from(words.sorted, ({ word }) => word),
    lookAhead: lookAhead.slice(0, nodes),
  };
}

/** Sorts entries by their node, keeping the order within one; `starts[n]` is where those of node `n` begin. */
function sortInto<Entry>(nodes: number, entries: readonly Entry[], nodeOf: (entry: Entry) => number): { starts: Int32Array; sorted: Entry[] } {
  const starts = new Int32Array(nodes + 1);
  for (const entry of entries) starts[nodeOf(entry) + 1] = (starts[nodeOf(entry) + 1] as number) + 1;
  for (let node = 0; node < nodes; node++) starts[node + 1] = (starts[node + 1] as number) + (starts[node] as number);
  const next = starts.slice();
  const sorted = new Array<Entry>(entries.length);
  for (const entry of entries) {
    const at = next[nodeOf(entry)] as number;
    next[nodeOf(entry)] = at + 1;
    sorted[at] = entry;
  }
  return { starts, sorted };
}
