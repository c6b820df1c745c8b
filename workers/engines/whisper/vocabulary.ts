import { z } from "zod";
import { ModelProblem } from "../../repository/folder.js";
import { readJsonFile } from "../../repository/json-file.js";
import type { WrittenTokens } from "../encoder-decoder/tokens.js";

const tokenizerFile = z.object({
  model: z.object({ vocab: z.record(z.string(), z.number().int().min(0)) }),
  added_tokens: z.array(z.object({ id: z.number().int().min(0), content: z.string() })),
});

/** Whisper's tokens: what bytes of text each stands for, and the ids of those that steer. */
export interface Vocabulary extends WrittenTokens {
  endOfText: number;
  startOfTranscript: number;
  /** Null in models that only know English. */
  transcribe: number | null;
  noTimestamps: number;
  /** Null where the file does not name it. */
  noSpeech: number | null;
  /** Ids by language code. */
  languages: ReadonlyMap<string, number>;
  /** Ids of all tokens that steer, timestamps and the end left out: none of them is text. */
  steering: readonly number[];
}

/**
 * Reads `tokenizer.json` of a byte-level BPE tokenizer. Throws `ModelProblem` when it is none or lacks one of Whisper's
 * own tokens.
 */
export function readVocabulary(path: string): Vocabulary {
  const file = readJsonFile(path, "tokenizer.json", tokenizerFile);
  const special = new Map(file.added_tokens.map(({ content, id }) => [content, id]));
  const idOf = (token: string): number => special.get(token) ?? file.model.vocab[token] ?? lacks(token);
  const noTimestamps = idOf("<|notimestamps|>");
  const languages = new Map<string, number>();
  for (const [token, id] of special) {
    const code = /^<\|([a-z]{2,3})\|>$/.exec(token)?.[1];
    if (code !== undefined) languages.set(code, id);
  }
  const endOfText = idOf("<|endoftext|>");
  const texts = new Map<number, Uint8Array>();
  const byteOf = bytesByCharacter();
  for (const [token, id] of Object.entries(file.model.vocab))
    if (!special.has(token)) texts.set(id, bytesOfToken(token, byteOf));
  const none = new Uint8Array(0);
  return {
    bytesOf: (id) => texts.get(id) ?? none,
    endOfText,
    startOfTranscript: idOf("<|startoftranscript|>"),
    transcribe: special.get("<|transcribe|>") ?? null,
    noTimestamps,
    noSpeech: special.get("<|nospeech|>") ?? special.get("<|nocaptions|>") ?? null,
    firstTimestamp: noTimestamps + 1,
    languages,
    steering: [...special.values()].filter((id) => id !== endOfText && id <= noTimestamps),
  };
}

function lacks(token: string): never {
  throw new ModelProblem(`tokenizer.json lacks ${token}`);
}

/**
 * Byte-level BPE writes each byte as one character: printable ones of Latin-1 as themselves, the others as those from
 * U+0100 on, in order.
 */
export function bytesByCharacter(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
    found.set(String.fromCodePoint(isPrintable ? byte : next++), byte);
  }
  return found;
}

function bytesOfToken(token: string, byteOf: ReadonlyMap<string, number>): Uint8Array {
  return Uint8Array.from([...token].flatMap((character) => byteOf.get(character) ?? [...Buffer.from(character)]));
}
