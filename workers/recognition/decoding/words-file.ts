/** Ids before those of the words: `<unk>`, `<s>`, `</s>`. */
export const FIRST_WORD_ID = 3;
export const UNKNOWN_WORD = 0;
export const SENTENCE_START = 1;
export const SENTENCE_END = 2;

/** Code of a pair that is no bigram of the model: it is listed because trigrams hang on it. */
export const NO_BIGRAM = 255;

const HEADER_BYTES = 24;

/**
 * A words file as it lies on disk (`models/training/recognizer/FORMAT.md`): words, pronunciations, and a trigram model
 * in 8-bit codes.
 */
export interface WordsFile {
  words: string[];
  /**
   * Every pronunciation: `symbols` from `starts[i]` to `starts[i + 1]`, of word `wordOf[i]` (an index into `words`).
   */
  pronunciations: { symbols: Uint8Array; starts: Uint32Array; wordOf: Uint16Array };
  unigram: Uint8Array;
  unigramBackoff: Uint8Array;
  /** Pairs with first word `a` are the entries `pairStart[a]` to `pairStart[a + 1]`. */
  pairStart: Uint32Array;
  pairWord: Uint16Array;
  pair: Uint8Array;
  pairBackoff: Uint8Array;
  /** Trigrams that begin with pair `p` are the entries `tripleStart[p]` to `tripleStart[p + 1]`. */
  tripleStart: Uint32Array;
  tripleWord: Uint16Array;
  triple: Uint8Array;
}

/** Thrown with a reason for a file that is no words file, or a damaged one. */
export class WordsFileProblem extends Error {
  override readonly name = "WordsFileProblem";
}

/** Reads a words file and checks that all of it hangs together. Throws `WordsFileProblem`. */
export function readWordsFile(bytes: Uint8Array): WordsFile {
  const header = sectionReader(bytes, 0);
  const [wordCount, pairCount, tripleCount, wordBytes, lexiconBytes, countBytes] = header.uint32(6) as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const ids = wordCount + FIRST_WORD_ID;
  const expected =
    HEADER_BYTES + wordBytes + lexiconBytes + ids * 2 + 4 * (ids + 1) + pairCount * 4 + countBytes + tripleCount * 3;
  if (ids > 65_535) throw new WordsFileProblem(`names ${wordCount} words, more than ids of 16 bits tell apart`);
  if (expected !== bytes.length)
    throw new WordsFileProblem(`has ${bytes.length} bytes where its header makes it ${expected}`);
  const take = sectionReader(bytes, HEADER_BYTES);
  const words = Buffer.from(take.bytes(wordBytes)).toString("utf8").split("\n");
  if (words.length !== wordCount)
    throw new WordsFileProblem(`has ${words.length} words where its header says ${wordCount}`);
  const pronunciations = readPronunciations(take.bytes(lexiconBytes), wordCount);
  const unigram = take.bytes(ids);
  const unigramBackoff = take.bytes(ids);
  const pairStart = take.uint32(ids + 1);
  const pairWord = take.uint16(pairCount);
  const pair = take.bytes(pairCount);
  const pairBackoff = take.bytes(pairCount);
  const tripleStart = readCounts(take.bytes(countBytes), pairCount);
  const tripleWord = take.uint16(tripleCount);
  const triple = take.bytes(tripleCount);
  if (tripleStart[pairCount] !== tripleCount) throw new WordsFileProblem("counts other trigrams than it has");
  if (pairStart[ids] !== pairCount || pairStart.some((at, i) => i > 0 && at < (pairStart[i - 1] as number))) {
    throw new WordsFileProblem("has bigrams out of order");
  }
  return {
    words,
    pronunciations,
    unigram,
    unigramBackoff,
    pairStart,
    pairWord,
    pair,
    pairBackoff,
    tripleStart,
    tripleWord,
    triple,
  };
}

interface SectionReader {
  bytes(count: number): Uint8Array;
  uint16(count: number): Uint16Array;
  uint32(count: number): Uint32Array;
}

/** Takes sections one after the other, each a copy: in the file nothing is aligned. */
function sectionReader(bytes: Uint8Array, from: number): SectionReader {
  let position = from;
  const take = (count: number): Uint8Array => {
    if (position + count > bytes.length) throw new WordsFileProblem("ends too early");
    position += count;
    return Uint8Array.prototype.slice.call(bytes, position - count, position);
  };
  return {
    bytes: take,
    uint16: (count) => new Uint16Array(take(2 * count).buffer),
    uint32: (count) => new Uint32Array(take(4 * count).buffer),
  };
}

function readPronunciations(lexicon: Uint8Array, wordCount: number): WordsFile["pronunciations"] {
  const symbols: number[] = [];
  const starts: number[] = [0];
  const wordOf: number[] = [];
  let at = 0;
  for (let word = 0; word < wordCount; word++) {
    const count = lexicon[at++] ?? 0;
    for (let i = 0; i < count; i++) {
      const length = lexicon[at++] ?? 0;
      for (let k = 0; k < length; k++) symbols.push(lexicon[at++] ?? 0);
      wordOf.push(word);
      starts.push(symbols.length);
    }
  }
  if (at !== lexicon.length) throw new WordsFileProblem("has a lexicon that ends elsewhere than its header says");
  return { symbols: Uint8Array.from(symbols), starts: Uint32Array.from(starts), wordOf: Uint16Array.from(wordOf) };
}

/**
 * Numbers of variable length, summed up: seven bits a byte, least significant first, the high bit on all bytes but the
 * last.
 */
function readCounts(bytes: Uint8Array, pairCount: number): Uint32Array {
  const starts = new Uint32Array(pairCount + 1);
  let at = 0;
  for (let pair = 0; pair < pairCount; pair++) {
    let count = 0;
    let shift = 0;
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new WordsFileProblem("has fewer trigram counts than bigrams");
      count |= (byte & 127) << shift;
      shift += 7;
      if (byte < 128) break;
    }
    starts[pair + 1] = (starts[pair] as number) + count;
  }
  if (at !== bytes.length) throw new WordsFileProblem("has more trigram counts than bigrams");
  return starts;
}
