import { FIRST_WORD_ID, NO_BIGRAM } from "../words-file.js";

/** A small vocabulary and its language model, in natural logarithms; word ids count from `FIRST_WORD_ID`. */
export interface SmallModel {
  words: readonly string[];
  /** Symbols of each pronunciation of each word. */
  pronunciations: readonly (readonly (readonly number[])[])[];
  /** By id, from `<unk>` on. */
  unigram: readonly number[];
  unigramBackoff?: readonly number[];
  bigrams?: readonly { pair: readonly [number, number]; value: number | null; backoff?: number }[];
  trigrams?: readonly { triple: readonly [number, number, number]; value: number }[];
}

const probabilityCode = (value: number): number => Math.min(254, Math.max(0, Math.round(-value * 12)));
const backoffCode = (value: number): number => Math.min(255, Math.max(0, Math.round((value + 9.5) * 22)));

/** The bytes of a words file (`models/training/recognizer/FORMAT.md`); pairs and triples are given in ascending order. */
export function writeWordsFile(model: SmallModel): Uint8Array {
  const { words, bigrams = [], trigrams = [] } = model;
  const ids = words.length + FIRST_WORD_ID;
  const wordList = Buffer.from(words.join("\n"));
  const lexicon = model.pronunciations.flatMap((of) => [
    of.length,
    ...of.flatMap((symbols) => [symbols.length, ...symbols]),
  ]);
  const triplesOf = bigrams.map(({ pair: [a, b] }) =>
    trigrams.filter(({ triple }) => triple[0] === a && triple[1] === b),
  );
  const starts = Array.from({ length: ids + 1 }, (_, id) => bigrams.filter(({ pair }) => pair[0] < id).length);
  const counts = triplesOf.flatMap(({ length }) => (length < 128 ? [length] : [(length & 127) | 128, length >> 7]));
  const header = [words.length, bigrams.length, trigrams.length, wordList.length, lexicon.length, counts.length];
  return Buffer.concat([
    uint32(header),
    wordList,
    Buffer.from(lexicon),
    Buffer.from(model.unigram.map(probabilityCode)),
    Buffer.from(Array.from({ length: ids }, (_, id) => backoffCode(model.unigramBackoff?.[id] ?? 0))),
    uint32(starts),
    uint16(bigrams.map(({ pair }) => pair[1])),
    Buffer.from(bigrams.map(({ value }) => (value === null ? NO_BIGRAM : probabilityCode(value)))),
    Buffer.from(bigrams.map(({ backoff = 0 }) => backoffCode(backoff))),
    Buffer.from(counts),
    uint16(triplesOf.flatMap((list) => list.map(({ triple }) => triple[2]))),
    Buffer.from(triplesOf.flatMap((list) => list.map(({ value }) => probabilityCode(value)))),
  ]);
}

function uint32(values: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}

function uint16(values: readonly number[]): Buffer {
  return Buffer.from(Uint16Array.from(values).buffer);
}
