import { readFileSync } from "node:fs";
import { z } from "zod";
import { ModelProblem } from "../../repository/folder.js";
import { readJsonFile } from "../../repository/json-file.js";
import type { WrittenTokens } from "../encoder-decoder/tokens.js";

/** Moonshine's tokens; it writes no timestamps. */
export interface MoonshineVocabulary extends WrittenTokens {
  size: number;
}

/** The first and the last token of every text, and what no text has. */
export const START_TOKEN = 1;
export const END_TOKEN = 2;

/** How SentencePiece writes the blank before a word. */
const BLANK = "\u2581";
const BYTE_TOKEN = /^<0x([0-9A-F]{2})>$/;
const MOST_TOKENS = 1_000_000;

const tokenizerFile = z.object({
  model: z.object({ vocab: z.record(z.string(), z.number().int().min(0).max(MOST_TOKENS)) }),
  added_tokens: z.array(
    z.object({ id: z.number().int().min(0).max(MOST_TOKENS), content: z.string(), special: z.boolean() }),
  ),
});

/**
 * Reads `tokenizer.json`, as Hugging Face has it, or `tokenizer.bin`, as Moonshine's own library has it. Throws
 * `ModelProblem`.
 */
export function readMoonshineVocabulary(path: string): MoonshineVocabulary {
  const pieces = path.endsWith(".json") ? piecesOfJson(path) : piecesOfTable(path);
  if (pieces.length <= END_TOKEN) throw new ModelProblem(`${nameOf(path)} holds ${pieces.length} tokens`);
  const none = new Uint8Array(0);
  return {
    size: pieces.length,
    firstTimestamp: Number.POSITIVE_INFINITY,
    bytesOf: (id) => (id <= END_TOKEN ? none : (pieces[id] ?? none)),
  };
}

function piecesOfJson(path: string): Uint8Array[] {
  const file = readJsonFile(path, "tokenizer.json", tokenizerFile);
  const steering = new Set(file.added_tokens.filter(({ special }) => special).map(({ id }) => id));
  const last = [...Object.values(file.model.vocab), ...steering].reduce((highest, id) => Math.max(highest, id), -1);
  const pieces = Array.from({ length: last + 1 }, () => new Uint8Array(0));
  for (const [piece, id] of Object.entries(file.model.vocab)) if (!steering.has(id)) pieces[id] = bytesOfPiece(piece);
  return pieces;
}

function bytesOfPiece(piece: string): Uint8Array<ArrayBuffer> {
  const byte = BYTE_TOKEN.exec(piece)?.[1];
  return byte === undefined ? encoded(piece) : Uint8Array.of(Number.parseInt(byte, 16));
}

const encoded = (piece: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(piece.replaceAll(BLANK, " "));

/** A length and so many bytes for each token; a length of 128 and more takes two bytes, the lower seven bits first. */
function piecesOfTable(path: string): Uint8Array[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new ModelProblem(`${nameOf(path)} cannot be read`, { cause });
  }
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const low = bytes[at++] as number;
    const length = low < 128 ? low : low - 128 + (bytes[at++] ?? 0) * 128;
    if (at + length > bytes.length) throw new ModelProblem(`${nameOf(path)} ends inside token ${pieces.length}`);
    pieces.push(blanked(bytes.subarray(at, at + length)));
    at += length;
  }
  return pieces;
}

/** The piece with blanks for what SentencePiece writes instead; one that is part of a character stays as it is. */
function blanked(piece: Uint8Array): Uint8Array {
  const text = Buffer.from(piece).toString("latin1");
  return Uint8Array.from(Buffer.from(text.replaceAll(Buffer.from(BLANK).toString("latin1"), " "), "latin1"));
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
