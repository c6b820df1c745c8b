import { Hypotheses, IMPOSSIBLE } from "./hypotheses.js";
import type { LanguageModel } from "./language-model.js";
import type { Lexicon } from "./lexicon.js";
import { WordHistory } from "./word-history.js";
import { FIRST_WORD_ID, SENTENCE_END } from "./words-file.js";

export interface SearchOptions {
  lmWeight: number;
  /** Added for each word, in nats. */
  wordBonus: number;
  /** Most hypotheses kept from frame to frame. */
  beam: number;
  /** Hypotheses this many nats behind the best are dropped. */
  threshold: number;
  /** Symbol id of the blank. */
  blank: number;
}

/** Log probabilities of `symbols` symbols in each of `frames` frames, row by row. */
export interface Emissions {
  values: Float32Array;
  frames: number;
  symbols: number;
}

/** A word of the best path. */
export interface FoundWord {
  /** Index into the words file's list; behind its end, words that were added to the lexicon. */
  word: number;
  /** Frames of its first and last symbol. */
  startFrame: number;
  endFrame: number;
  /** Log score of the audio alone, from after the word before to `endFrame`. */
  acoustic: number;
}

/** A search to be used again and again; null when `stopped` said so. */
export type WordSearch = (emissions: Emissions, stopped: () => boolean) => FoundWord[] | null;

/** Symbols less likely than this, in nats, begin nothing. */
const SYMBOL_FLOOR = -7;
const BUCKETS = 512;
/** Kinds of nodes: some have children, some end words, some both. */
const CHILDREN = 1;
const WORDS = 2;

/**
 * Searches the best sequence of words: a prefix beam over the lexicon's tree, best single alignment, a trigram model at
 * word ends and its unigrams as look-ahead within words (Hannun et al. 2014; Ney, Ortmanns 1999). Equal emissions give
 * equal words.
 */
export function createWordSearch(lexicon: Lexicon, model: LanguageModel, options: SearchOptions): WordSearch {
  const search = new Search(lexicon, model, options);
  return (emissions, stopped) => search.run(emissions, stopped);
}

function kindsOfNodes({ childStarts, wordStarts, lookAhead }: Lexicon): Uint8Array {
  const kinds = new Uint8Array(lookAhead.length);
  for (let node = 0; node < kinds.length; node++) {
    if ((childStarts[node + 1] as number) > (childStarts[node] as number)) kinds[node] = CHILDREN;
    if ((wordStarts[node + 1] as number) > (wordStarts[node] as number)) kinds[node] = (kinds[node] as number) | WORDS;
  }
  return kinds;
}

function masksOfNodes({ childStarts, childSymbols, lookAhead }: Lexicon, words: number): Int32Array {
  const masks = new Int32Array(words * lookAhead.length);
  for (let node = 0; node < lookAhead.length; node++) {
    for (let edge = childStarts[node] as number; edge < (childStarts[node + 1] as number); edge++) {
      const symbol = childSymbols[edge] as number;
      const word = words * node + (symbol >> 5);
      masks[word] = (masks[word] as number) | (1 << (symbol & 31));
    }
  }
  return masks;
}

/** How many bits of a word of 32 are 1. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

class Search {
  readonly #lexicon: Lexicon;
  readonly #model: LanguageModel;
  readonly #options: SearchOptions;
  /** The weighted look-ahead of each node. */
  readonly #ahead: Float64Array;
  /** What is at each node: `CHILDREN` and `WORDS`. */
  readonly #kinds: Uint8Array;
  /** Symbols that lead on from each node, a bit for each: `#maskWords` words of 32 bits a node. */
  readonly #masks: Int32Array;
  readonly #maskWords: number;
  /** The symbols above the floor in this frame, in the same way. */
  readonly #likelyMask: Int32Array;
  readonly #history = new WordHistory();
  readonly #buckets = new Int32Array(BUCKETS + 1);
  #scores = new Float64Array(1024);
  #order = new Int32Array(1024);
  #now = new Hypotheses();
  #next = new Hypotheses();
  /** Log probabilities of this frame, impossible below the floor, and the highest of them. */
  #likely = new Float64Array(0);
  #likeliest = IMPOSSIBLE;
  #best = IMPOSSIBLE;

  constructor(lexicon: Lexicon, model: LanguageModel, options: SearchOptions) {
    this.#lexicon = lexicon;
    this.#model = model;
    this.#options = options;
    this.#ahead = lexicon.lookAhead.map((value) => value * options.lmWeight);
    this.#kinds = kindsOfNodes(lexicon);
    this.#maskWords = 1 + (lexicon.childSymbols.reduce((most, symbol) => Math.max(most, symbol), 0) >> 5);
    this.#masks = masksOfNodes(lexicon, this.#maskWords);
    this.#likelyMask = new Int32Array(this.#maskWords);
  }

  run({ values, frames, symbols }: Emissions, stopped: () => boolean): FoundWord[] | null {
    this.#history.clear();
    this.#now.clear();
    const first = this.#now.append(0, this.#model.start, 0);
    [this.#now.blank[first], this.#now.label[first], this.#now.history[first]] = [0, IMPOSSIBLE, -1];
    if (this.#likely.length !== symbols) this.#likely = new Float64Array(symbols);
    for (let frame = 0; frame < frames; frame++) {
      if (stopped()) return null;
      this.#step(values, frame * symbols, symbols, frame);
      this.#prune();
    }
    return this.#trace(this.#bestEnd());
  }

  #step(values: Float32Array, row: number, symbols: number, frame: number): void {
    const { blank } = this.#options;
    const likely = this.#likely;
    const mask = this.#likelyMask.fill(0);
    let likeliest = IMPOSSIBLE;
    for (let k = 0; k < symbols; k++) {
      const value = values[row + k] as number;
      const isLikely = k !== blank && value > SYMBOL_FLOOR;
      likely[k] = isLikely ? value : IMPOSSIBLE;
      if (!isLikely) continue;
      if (value > likeliest) likeliest = value;
      if (k >> 5 < mask.length) mask[k >> 5] = (mask[k >> 5] as number) | (1 << (k & 31));
    }
    this.#likeliest = likeliest;
    this.#next.clear();
    this.#best = IMPOSSIBLE;
    const ofBlank = values[row + blank] as number;
    for (let i = 0; i < this.#now.count; i++) {
      const last = this.#now.last[i] as number;
      this.#stay(i, ofBlank, last === 0 ? IMPOSSIBLE : (values[row + last] as number));
      this.#extend(i, frame);
    }
  }

  /** The same symbols as before: another blank, or the last symbol held. */
  #stay(i: number, ofBlank: number, ofLast: number): void {
    const now = this.#now;
    const next = this.#next;
    const ofLabel = now.label[i] as number;
    const ended = now.blank[i] as number;
    const node = now.node[i] as number;
    const blank = (ended > ofLabel ? ended : ofLabel) + ofBlank;
    const label = ofLast === IMPOSSIBLE ? IMPOSSIBLE : ofLabel + ofLast;
    const score = blank > label ? blank : label;
    const total = score + (this.#ahead[node] as number);
    if (total <= this.#best - this.#options.threshold) return;
    if (total > this.#best) this.#best = total;
    const place = next.place(node, now.context[i] as number, now.last[i] as number);
    const at = place < 0 ? ~place : place;
    if (place < 0) {
      next.blank[at] = blank;
      next.label[at] = label;
    } else {
      const known = Math.max(next.blank[at] as number, next.label[at] as number);
      next.blank[at] = Math.max(next.blank[at] as number, blank);
      next.label[at] = Math.max(next.label[at] as number, label);
      if (score <= known) return;
    }
    next.start[at] = now.start[i] as number;
    next.history[at] = now.history[i] as number;
  }

  /** One symbol more: down the tree, and at the words that end there back to its root. */
  #extend(i: number, frame: number): void {
    const node = this.#now.node[i] as number;
    this.#extendFrom(i, node, frame);
    if (node === 0 && this.#lexicon.secondRoot > 0) this.#extendFrom(i, this.#lexicon.secondRoot, frame);
  }

  #extendFrom(i: number, node: number, frame: number): void {
    const now = this.#now;
    const likely = this.#likely;
    const last = now.last[i] as number;
    const blank = now.blank[i] as number;
    const label = now.label[i] as number;
    const either = blank > label ? blank : label;
    // No child's look-ahead is above its parent's: most frames are blank, and hardly anything follows in them.
    if (either + this.#likeliest + (this.#ahead[node] as number) < this.#best - this.#options.threshold) return;
    const { childStarts, childNodes } = this.#lexicon;
    const masks = this.#masks;
    const words = this.#maskWords;
    const start = now.node[i] === 0 ? frame : (now.start[i] as number);
    let first = childStarts[node] as number;
    for (let w = 0; w < words; w++) {
      const all = masks[node * words + w] as number;
      for (let left = all & (this.#likelyMask[w] as number); left !== 0; left &= left - 1) {
        const bit = left & -left;
        const symbol = 32 * w + 31 - Math.clz32(bit);
        // A symbol twice in a row needs a blank between.
        const score = (symbol === last ? blank : either) + (likely[symbol] as number);
        const child = childNodes[first + bitsIn(all & (bit - 1))] as number;
        this.#enter(i, child, symbol, score, start, frame);
      }
      first += bitsIn(all);
    }
  }

  #enter(i: number, child: number, symbol: number, score: number, start: number, frame: number): void {
    const total = score + (this.#ahead[child] as number);
    if (total < this.#best - this.#options.threshold) return;
    const kind = this.#kinds[child] as number;
    if ((kind & CHILDREN) !== 0) {
      if (total > this.#best) this.#best = total;
      this.#descend(i, child, symbol, score, start);
    }
    if ((kind & WORDS) !== 0) this.#finishWords(i, child, symbol, score, start, frame);
  }

  #descend(i: number, child: number, symbol: number, score: number, start: number): void {
    const next = this.#next;
    const place = next.place(child, this.#now.context[i] as number, symbol);
    const at = place < 0 ? ~place : place;
    if (place < 0) next.blank[at] = IMPOSSIBLE;
    else if (score <= (next.blank[at] as number) || score <= (next.label[at] as number)) {
      if (score > (next.label[at] as number)) next.label[at] = score;
      return;
    }
    next.label[at] = score;
    next.start[at] = start;
    next.history[at] = this.#now.history[i] as number;
  }

  #finishWords(i: number, child: number, symbol: number, score: number, start: number, frame: number): void {
    const { lmWeight, wordBonus, threshold } = this.#options;
    const { wordStarts, wordIds } = this.#lexicon;
    const next = this.#next;
    const model = this.#model;
    const context = this.#now.context[i] as number;
    const to = wordStarts[child + 1] as number;
    for (let w = wordStarts[child] as number; w < to; w++) {
      const word = wordIds[w] as number;
      model.look(context, word);
      const added = lmWeight * model.logProbability;
      const total = score + added + wordBonus;
      if (total < this.#best - threshold) continue;
      if (total > this.#best) this.#best = total;
      const place = next.place(0, model.next, symbol);
      const at = place < 0 ? ~place : place;
      if (place < 0) next.blank[at] = IMPOSSIBLE;
      else if (total <= (next.blank[at] as number) || total <= (next.label[at] as number)) continue;
      next.label[at] = total;
      next.start[at] = frame;
      next.history[at] = this.#remember(this.#now.history[i] as number, word, start, frame, total, added + wordBonus);
    }
  }

  #remember(before: number, word: number, start: number, frame: number, total: number, added: number): number {
    const history = this.#history;
    const at = history.append();
    const addedBefore = before < 0 ? 0 : (history.added[before] as number);
    history.before[at] = before;
    history.word[at] = word;
    history.start[at] = start;
    history.end[at] = frame;
    history.added[at] = addedBefore + added;
    history.acoustic[at] = total - addedBefore - added;
    return at;
  }

  /**
   * Keeps the best hypotheses, best first (to the width of a bucket): what comes early narrows the search of the next
   * frame.
   */
  #prune(): void {
    const { beam, threshold } = this.#options;
    const next = this.#next;
    const buckets = this.#buckets.fill(0);
    if (this.#scores.length < next.count) {
      this.#scores = new Float64Array(2 * next.count);
      this.#order = new Int32Array(2 * next.count);
    }
    const scores = this.#scores;
    for (let i = 0; i < next.count; i++) {
      const score =
        Math.max(next.blank[i] as number, next.label[i] as number) + (this.#ahead[next.node[i] as number] as number);
      const bucket = Math.floor(((this.#best - score) / threshold) * BUCKETS);
      scores[i] = bucket;
      if (bucket < BUCKETS) buckets[bucket + 1] = (buckets[bucket + 1] as number) + 1;
    }
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      buckets[bucket + 1] = (buckets[bucket + 1] as number) + (buckets[bucket] as number);
    const kept = Math.min(beam, buckets[BUCKETS] as number);
    const order = this.#order;
    for (let i = 0; i < next.count; i++) {
      const bucket = scores[i] as number;
      if (bucket >= BUCKETS) continue;
      const at = buckets[bucket] as number;
      buckets[bucket] = at + 1;
      order[at] = i;
    }
    this.#now.clear();
    for (let at = 0; at < kept; at++) this.#now.appendFrom(next, order[at] as number);
  }

  /**
   * The last word of the best hypothesis that ends with a word, with the sentence's end scored; of the best of all when
   * none does.
   */
  #bestEnd(): number {
    const now = this.#now;
    let [best, bestWhole] = [-1, -1];
    let [score, scoreWhole] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = 0; i < now.count; i++) {
      const own = Math.max(now.blank[i] as number, now.label[i] as number);
      if (own > score) [best, score] = [i, own];
      if (now.node[i] !== 0) continue;
      this.#model.look(now.context[i] as number, SENTENCE_END);
      const whole = own + this.#options.lmWeight * this.#model.logProbability;
      if (whole > scoreWhole) [bestWhole, scoreWhole] = [i, whole];
    }
    const end = bestWhole >= 0 ? bestWhole : best;
    return end < 0 ? -1 : (now.history[end] as number);
  }

  #trace(last: number): FoundWord[] {
    const history = this.#history;
    const words: FoundWord[] = [];
    for (let at = last; at >= 0; at = history.before[at] as number) {
      const before = history.before[at] as number;
      const audioBefore = before < 0 ? 0 : (history.acoustic[before] as number);
      words.push({
        word: (history.word[at] as number) - FIRST_WORD_ID,
        startFrame: history.start[at] as number,
        endFrame: history.end[at] as number,
        acoustic: (history.acoustic[at] as number) - audioBefore,
      });
    }
    return words.reverse();
  }
}
