import type { LexiconFile } from "./lexicon-file.js";
import type { Phones } from "./phones.js";

/** Readings of a word kept in mind after each letter; twice as many change one word in three hundred. */
const BEAM = 16;

/** Added to stored backoffs, which may be below zero. */
const BACKOFF_SHIFT = 64;

/** Longer words are read in parts: no word is that long, and hostile input must not cost more than its length. */
const MAX_LETTERS = 32;

/** A graphone that no n-gram has: as good as impossible. */
const UNKNOWN_COST = 400;

/**
 * One reading of the letters so far. `nodes[k]` is the trie node of the last k graphones, -1 where the model has none.
 */
interface Path {
  cost: number;
  nodes: Int32Array;
  graphone: number;
  before: Path | null;
}

/**
 * Reads words that no list has: the likeliest sequence of graphones (a letter with its phones) under an n-gram model,
 * by beam search.
 */
export class LetterToSound {
  readonly #file: LexiconFile;
  readonly #firstChild: Uint32Array;
  readonly #candidates = new Map<string, number[]>();
  readonly #rootCount: number;

  constructor(file: LexiconFile) {
    this.#file = file;
    this.#rootCount = file.levels[0] ?? 0;
    this.#firstChild = new Uint32Array(file.nodeSymbols.length + 1);
    let next = this.#rootCount;
    for (let node = 0; node < file.nodeSymbols.length; node++) {
      this.#firstChild[node] = next;
      next += file.nodeChildren[node] ?? 0;
    }
    this.#firstChild[file.nodeSymbols.length] = next;
    for (const [number, { letter }] of file.graphones.entries()) {
      if (letter !== "") this.#candidates.set(letter, [...(this.#candidates.get(letter) ?? []), number]);
    }
  }

  /**
   * Phones of a word in lower-case Latin letters; empty when none of its characters is one. Costs about 0.05 ms a
   * letter.
   */
  read(word: string): Phones {
    const phones: string[] = [];
    for (let at = 0; at < word.length; at += MAX_LETTERS)
      phones.push(...this.#readPart(word.slice(at, at + MAX_LETTERS)));
    return phones;
  }

  #readPart(word: string): string[] {
    let paths: Path[] = [{ cost: 0, nodes: this.#startNodes(), graphone: 0, before: null }];
    for (const letter of word) {
      const candidates = this.#candidates.get(letter);
      if (candidates === undefined) continue;
      paths = this.#extend(paths, candidates);
    }
    let best = paths[0];
    let bestCost = Number.POSITIVE_INFINITY;
    for (const path of paths) {
      const cost = path.cost + this.#cost(path.nodes, 0);
      if (cost < bestCost) [best, bestCost] = [path, cost];
    }
    const codes: number[][] = [];
    for (let path: Path | null = best ?? null; path !== null; path = path.before)
      codes.push([...(this.#file.graphones[path.graphone]?.codes ?? [])]);
    return codes.reverse().flatMap((chunk) => chunk.map((code) => this.#file.symbols[code] ?? ""));
  }

  #extend(paths: readonly Path[], candidates: readonly number[]): Path[] {
    const scored: { cost: number; path: Path; graphone: number }[] = [];
    for (const path of paths) {
      for (const graphone of candidates)
        scored.push({ cost: path.cost + this.#cost(path.nodes, graphone), path, graphone });
    }
    // Ties are settled by the order above, which depends on the word alone.
    scored.sort((a, b) => a.cost - b.cost);
    return scored
      .slice(0, BEAM)
      .map(({ cost, path, graphone }) => ({
        cost,
        nodes: this.#advance(path.nodes, graphone),
        graphone,
        before: path,
      }));
  }

  /** Minus log probability of a graphone, in steps, with backoff to shorter contexts. */
  #cost(nodes: Int32Array, graphone: number): number {
    let cost = 0;
    for (let length = nodes.length - 1; length > 0; length--) {
      const node = nodes[length] ?? -1;
      if (node < 0) continue;
      const child = this.#child(node, graphone);
      if (child >= 0) return cost + (this.#file.nodeCosts[child] ?? 0);
      cost += (this.#file.nodeBackoffs[node] ?? 0) - BACKOFF_SHIFT;
    }
    const root = this.#root(graphone);
    return cost + (root < 0 ? UNKNOWN_COST : (this.#file.nodeCosts[root] ?? 0));
  }

  #advance(nodes: Int32Array, graphone: number): Int32Array {
    const next = new Int32Array(nodes.length).fill(-1);
    next[1] = this.#root(graphone);
    for (let length = 2; length < nodes.length; length++) {
      const shorter = nodes[length - 1] ?? -1;
      next[length] = shorter < 0 ? -1 : this.#child(shorter, graphone);
    }
    return next;
  }

  #startNodes(): Int32Array {
    const nodes = new Int32Array(this.#file.levels.length).fill(-1);
    nodes[1] = this.#root(0);
    return nodes;
  }

  #root(graphone: number): number {
    return this.#search(0, this.#rootCount, graphone);
  }

  #child(node: number, graphone: number): number {
    return this.#search(this.#firstChild[node] ?? 0, this.#firstChild[node + 1] ?? 0, graphone);
  }

  #search(from: number, to: number, graphone: number): number {
    const { nodeSymbols } = this.#file;
    let low = from;
    let high = to - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const symbol = nodeSymbols[middle] ?? 0;
      if (symbol === graphone) return middle;
      if (symbol < graphone) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
