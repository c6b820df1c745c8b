import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants";
import { countBytePairs } from "./byte-pairs.js";
import type { TokenTable } from "./token-table.js";

/**
 * Longest piece that is handed to the tokenizer whole, in UTF-16 units: its time grows with the square of a run without
 * spaces.
 */
const MAX_RUN = 256;

/** Counts the tokens of a text. */
export type TokenCounter = (text: string) => number;

/** Texts whose count is remembered: those of one conversation's history come again with every request. */
const REMEMBERED_TEXTS = 512;

/**
 * Whether a text has at most `limit` tokens of o200k_base. Exact, apart from runs of more than 256 characters without
 * white space, which are counted in pieces: a cut can add one token. No token is shorter than a byte, so short texts
 * are never tokenized and the tables not loaded.
 */
export async function hasAtMostTokens(text: string, limit: number): Promise<boolean> {
  if (Buffer.byteLength(text) <= limit) return true;
  const counter = await loadCounter();
  let count = 0;
  for (const piece of pieces(text)) {
    count += counter(piece);
    if (count > limit) return false;
  }
  return true;
}

/**
 * A counter of o200k_base tokens, as exact as `hasAtMostTokens`, that remembers the last few hundred texts. Loads the
 * table, 5 MB of memory, which all counters of the process share.
 */
export async function openTokenCounter(): Promise<TokenCounter> {
  const count = await loadCounter();
  const remembered = new Map<string, number>();
  return (text) => {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    let tokens = 0;
    for (const piece of pieces(text)) tokens += count(piece);
    const oldest = remembered.keys().next();
    if (remembered.size >= REMEMBERED_TEXTS && oldest.done !== true) remembered.delete(oldest.value);
    remembered.set(text, tokens);
    return tokens;
  };
}

/** UTF-8 bytes that one character of a text takes at most. */
const MAX_BYTES_PER_UNIT = 3;

let loading: Promise<TokenCounter> | null = null;

/** Loaded when it is first needed, once: the tables are large. */
function loadCounter(): Promise<TokenCounter> {
  loading ??= loadTable().then(counterOf, (error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** Has a thread make the table, and ends it. */
async function loadTable(): Promise<TokenTable> {
  const thread = new Worker(new URL("./token-table-thread.js", import.meta.url));
  try {
    const [table] = (await once(thread, "message")) as [TokenTable];
    return table;
  } finally {
    await thread.terminate();
  }
}

/** Names of special tokens are plain text in a prompt. */
function counterOf(table: TokenTable): TokenCounter {
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(64);
  return (text) => {
    let count = 0;
    for (const [word] of text.matchAll(O200K_TOKEN_SPLIT_REGEX)) {
      if (word.length * MAX_BYTES_PER_UNIT > bytes.length) bytes = new Uint8Array(2 * word.length * MAX_BYTES_PER_UNIT);
      const { written } = encoder.encodeInto(word, bytes);
      count += countBytePairs(table, bytes, written);
    }
    return count;
  };
}

/**
 * The text in pieces that begin at white space, or, where none comes for long, anywhere but inside of a surrogate pair.
 */
function* pieces(text: string): Generator<string> {
  let run = "";
  for (const word of text.split(/(?=\s)/)) {
    if (word.length <= MAX_RUN) {
      // Many short words in one call cost no more than in several.
      run += word;
      if (run.length < 16 * MAX_RUN) continue;
      yield run;
      run = "";
      continue;
    }
    if (run !== "") yield run;
    run = "";
    for (let start = 0; start < word.length; ) {
      const end = start + MAX_RUN;
      const splitsPair = /[\ud800-\udbff]/.test(word[end - 1] ?? "");
      yield word.slice(start, splitsPair ? end + 1 : end);
      start = splitsPair ? end + 1 : end;
    }
  }
  if (run !== "") yield run;
}
