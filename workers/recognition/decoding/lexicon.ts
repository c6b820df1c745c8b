import { FIRST_WORD_ID, type WordsFile } from "./words-file.js";

/**
 * The pronunciations as a tree: node 0 is the root, each edge a symbol. The children of node `n` are the entries
 * `childStarts[n]` to `childStarts[n + 1]`, by ascending symbols, its words those from `wordStarts[n]` to
 * `wordStarts[n + 1]`.
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
  /** Root of a second tree, whose words may follow wherever those of the first may; 0 where there is none. */
  secondRoot: number;
}

/** Symbols are bytes. */
const SYMBOLS = 256;

/** Builds the tree; pronunciations of no symbols are left out. */
export function buildLexicon(
  { pronunciations }: Pick<WordsFile, "pronunciations">,
  unigram: (word: number) => number,
): Lexicon {
  const { symbols, starts, wordOf } = pronunciations;
  // No more nodes than symbols and the root. Parents come before their children.
  const parent = new Int32Array(symbols.length + 1);
  const symbolOf = new Uint8Array(symbols.length + 1);
  const lookAhead = new Float64Array(symbols.length + 1).fill(Number.NEGATIVE_INFINITY, 1);
  // Children by parent and symbol, in a table of open addresses: a Map of so many takes most of a worker's start.
  const mask = 2 ** Math.ceil(Math.log2(2 * symbols.length + 2)) - 1;
  const table = new Int32Array(mask + 1);
  const endNodes = new Int32Array(wordOf.length);
  const endWords = new Int32Array(wordOf.length);
  let ends = 0;
  let firstOfWord = 0;
  let nodes = 1;
  const descend = (node: number, symbol: number): number => {
    let slot = Math.imul(node * 41 + symbol, 0x9e3779b1) >>> 7;
    for (;;) {
      slot &= mask;
      const child = table[slot] as number;
      if (child === 0) break;
      if (parent[child] === node && symbolOf[child] === symbol) return child;
      slot++;
    }
    table[slot] = nodes;
    parent[nodes] = node;
    symbolOf[nodes] = symbol;
    return nodes++;
  };
  for (let i = 0; i < wordOf.length; i++) {
    const word = (wordOf[i] as number) + FIRST_WORD_ID;
    if (wordOf[i] !== wordOf[i - 1]) firstOfWord = ends;
    const likely = unigram(word);
    const to = starts[i + 1] as number;
    let node = 0;
    for (let k = starts[i] as number; k < to; k++) {
      node = descend(node, symbols[k] as number);
      if (likely > (lookAhead[node] as number)) lookAhead[node] = likely;
    }
    // Two pronunciations of a word may be the same.
    let at = firstOfWord;
    while (at < ends && endNodes[at] !== node) at++;
    if (node === 0 || at < ends) continue;
    endNodes[ends] = node;
    endWords[ends++] = word;
  }
  const places = siblingsTogether(nodes, parent.subarray(0, nodes), symbolOf.subarray(0, nodes));
  const parents = new Int32Array(nodes - 1);
  const childSymbols = new Uint8Array(nodes - 1);
  const lookAheads = new Float64Array(nodes);
  for (let node = 1; node < nodes; node++) {
    const place = places[node] as number;
    parents[place - 1] = places[parent[node] as number] as number;
    childSymbols[place - 1] = symbolOf[node] as number;
    lookAheads[place] = lookAhead[node] as number;
  }
  const edges = sortByNode(nodes, parents);
  const words = sortByNode(
    nodes,
    endNodes.subarray(0, ends).map((node) => places[node] as number),
  );
  return {
    childStarts: edges.starts,
    childSymbols,
    childNodes: edges.order.map((edge) => edge + 1),
    wordStarts: words.starts,
    wordIds: words.order.map((ending) => endWords[ending] as number),
    lookAhead: lookAheads,
    secondRoot: 0,
  };
}

/**
 * New numbers for the nodes of a tree, level by level: the children of a node follow one another, by their symbols. A
 * search then finds what it knows of them side by side in memory.
 */
function siblingsTogether(nodes: number, parent: Int32Array, symbolOf: Uint8Array): Int32Array {
  const bySymbol = sortByNode(SYMBOLS, symbolOf.subarray(1)).order.map((edge) => edge + 1);
  const { starts, order } = sortByNode(
    nodes,
    bySymbol.map((node) => parent[node] as number),
  );
  const places = new Int32Array(nodes);
  const queue = new Int32Array(nodes);
  let next = 1;
  for (let place = 0; place < next; place++) {
    const node = queue[place] as number;
    for (let edge = starts[node] as number; edge < (starts[node + 1] as number); edge++) {
      const child = bySymbol[order[edge] as number] as number;
      places[child] = next;
      queue[next++] = child;
    }
  }
  return places;
}

/** Two trees in one; `shift` is added to the word ids of the second. The first must be one tree. */
export function joinLexicons(first: Lexicon, second: Lexicon, shift: number): Lexicon {
  const nodes = first.lookAhead.length;
  return {
    childStarts: joined(first.childStarts, second.childStarts.subarray(1), first.childNodes.length),
    childSymbols: joined(first.childSymbols, second.childSymbols, 0),
    childNodes: joined(first.childNodes, second.childNodes, nodes),
    wordStarts: joined(first.wordStarts, second.wordStarts.subarray(1), first.wordIds.length),
    wordIds: joined(first.wordIds, second.wordIds, shift),
    lookAhead: joined(first.lookAhead, second.lookAhead, 0),
    secondRoot: nodes,
  };
}

/** The second column behind the first, `added` to each of its values. */
function joined<Column extends Int32Array | Uint8Array | Float64Array>(first: Column, second: Column, added: number) {
  const column = new (first.constructor as new (length: number) => Column)(first.length + second.length);
  column.set(first);
  for (let i = 0; i < second.length; i++) column[first.length + i] = (second[i] as number) + added;
  return column;
}

/** Sorts entries by their nodes, keeping the order within one; those of node `n` begin at `starts[n]`. */
function sortByNode(nodes: number, nodeOf: Int32Array | Uint8Array): { starts: Int32Array; order: Int32Array } {
  const starts = new Int32Array(nodes + 1);
  for (let i = 0; i < nodeOf.length; i++)
    starts[(nodeOf[i] as number) + 1] = (starts[(nodeOf[i] as number) + 1] as number) + 1;
  for (let node = 0; node < nodes; node++) starts[node + 1] = (starts[node + 1] as number) + (starts[node] as number);
  const next = starts.slice();
  const order = new Int32Array(nodeOf.length);
  for (let i = 0; i < nodeOf.length; i++) {
    const at = next[nodeOf[i] as number] as number;
    next[nodeOf[i] as number] = at + 1;
    order[at] = i;
  }
  return { starts, order };
}
