import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { z } from "zod";

/** First line of a lexicon file; `models/training/front-end/packing.py` writes it. */
const header = z.object({
  format: z.literal("parley-lexicon-1"),
  /** Phones by code: one code point, with a stress mark before it where it is a stressed vowel. */
  symbols: z.array(z.string().min(1).max(2)).min(1).max(256),
  words: z.number().int().min(1),
  wordsPerBlock: z.number().int().min(1).max(255),
  /** A letter and the codes of the phones that it stands for, by number; number 0 is the edge of a word. */
  graphones: z.array(z.tuple([z.string()], z.number().int().min(0))).max(65_535),
  /** n-grams by length, shortest first. */
  levels: z.array(z.number().int().min(0)).min(1).max(12),
  stepsPerNat: z.number().min(1).max(256),
  sections: z.array(z.number().int().min(1)).length(6),
});

/**
 * A lexicon file in memory: front-coded words with their phones, and an n-gram model that reads words which are not
 * among them.
 */
export interface LexiconFile {
  symbols: readonly string[];
  words: Buffer;
  /** Where each block of `wordsPerBlock` words begins in `words`. */
  blockStarts: Uint32Array;
  wordCount: number;
  wordsPerBlock: number;
  graphones: readonly { letter: string; codes: readonly number[] }[];
  /** The trie of n-grams, level after level. */
  levels: readonly number[];
  stepsPerNat: number;
  /**
   * Of each node: last graphone, minus log probability and minus log backoff (+64) in steps, and how many children it
   * has.
   */
  nodeSymbols: Uint16Array;
  nodeCosts: Uint8Array;
  nodeBackoffs: Uint8Array;
  nodeChildren: Uint16Array;
}

/** Reads a lexicon file. Throws what the file system, zlib or zod say when it is none. */
export function readLexiconFile(path: string): LexiconFile {
  const bytes = readFileSync(path);
  const newline = bytes.indexOf(10);
  const described = header.parse(JSON.parse(bytes.subarray(0, newline).toString("utf8")));
  let at = newline + 1;
  const [words, starts, symbols, costs, backoffs, children] = described.sections.map((size) => {
    at += size;
    return inflateSync(bytes.subarray(at - size, at));
  }) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
  return {
    symbols: described.symbols,
    words,
    blockStarts: new Uint32Array(aligned(starts)),
    wordCount: described.words,
    wordsPerBlock: described.wordsPerBlock,
    graphones: described.graphones.map(([letter, ...codes]) => ({ letter, codes })),
    levels: described.levels,
    stepsPerNat: described.stepsPerNat,
    nodeSymbols: new Uint16Array(aligned(symbols)),
    nodeCosts: costs,
    nodeBackoffs: backoffs,
    nodeChildren: new Uint16Array(aligned(children)),
  };
}

/** Typed arrays of wider elements need memory of their own. */
function aligned(bytes: Buffer): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
