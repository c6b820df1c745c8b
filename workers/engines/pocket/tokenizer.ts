import { z } from "zod";
import { ModelProblem } from "../../repository/folder.js";
import { readJsonFile } from "../../repository/json-file.js";

/** A token of a text, and the UTF-16 range of the text that it stands for. */
export interface TextToken {
  id: number;
  start: number;
  end: number;
}

export interface Tokenizer {
  encode(text: string): TextToken[];
}

const vocabularyFile = z.record(z.string(), z.number().int().min(0));
const scoresFile = z.record(z.string(), z.number());

/** SentencePiece writes blanks so, one before the first word too. */
const BLANK = "\u2581";
/** Tokens that stand for one byte of a character that the vocabulary lacks, and those that stand for no text. */
const unmatched = /^<(?:0x[0-9A-F]{2}|unk|s|\/s|pad)>$/;
/** What SentencePiece takes off below the worst score for a character that the vocabulary lacks. */
const UNKNOWN_PENALTY = 10;

/**
 * Reads a SentencePiece unigram model that was written as two JSON files: ids and scores of its pieces
 * (`vocab.json`, `token_scores.json`). Throws `ModelProblem` when they do not fit together.
 */
export function readTokenizer(paths: { vocab: string; scores: string }): Tokenizer {
  const ids = readJsonFile(paths.vocab, "vocab.json", vocabularyFile);
  const scores = readJsonFile(paths.scores, "token_scores.json", scoresFile);
  const pieces = new Map<string, Piece>();
  for (const [piece, id] of Object.entries(ids)) {
    if (!Object.hasOwn(scores, piece)) throw new ModelProblem(`token_scores.json lacks ${JSON.stringify(piece)}`);
    if (!unmatched.test(piece)) pieces.set(piece, { id, score: scores[piece] as number });
  }
  if (pieces.size === 0) throw new ModelProblem("vocab.json has no pieces of text");
  return unigramTokenizer(pieces, spellingOf(ids));
}

/** Ids for a character that is no piece: those of its bytes where the vocabulary has bytes, else that of the unknown. */
function spellingOf(ids: Readonly<Record<string, number>>): (character: string) => number[] {
  const idOf = (name: string): number | undefined => (Object.hasOwn(ids, name) ? ids[name] : undefined);
  const bytes = Array.from({ length: 256 }, (_, byte) =>
    idOf(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`),
  ).filter((id) => id !== undefined);
  if (bytes.length === 256) return (character) => [...Buffer.from(character)].map((byte) => bytes[byte] as number);
  const unknown = idOf("<unk>");
  if (unknown === undefined) throw new ModelProblem("vocab.json has neither <unk> nor all of <0x00> to <0xFF>");
  return () => [unknown];
}

interface Piece {
  id: number;
  score: number;
}

function unigramTokenizer(pieces: ReadonlyMap<string, Piece>, spell: (character: string) => number[]): Tokenizer {
  let longest = 0;
  let unknownScore = 0;
  for (const [piece, { score }] of pieces) {
    longest = Math.max(longest, piece.length);
    unknownScore = Math.min(unknownScore, score - UNKNOWN_PENALTY);
  }

  /** The likeliest piece that begins at each place, by Viterbi's algorithm from the end; null is an unknown character. */
  function choose(text: string): { ends: Int32Array; chosen: (Piece | null)[] } {
    const best = new Float64Array(text.length + 1).fill(Number.NEGATIVE_INFINITY);
    const ends = new Int32Array(text.length);
    const chosen: (Piece | null)[] = new Array<Piece | null>(text.length).fill(null);
    best[text.length] = 0;
    for (let at = text.length - 1; at >= 0; at--) {
      const character = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
      best[at] = unknownScore + (best[character] ?? Number.NEGATIVE_INFINITY);
      ends[at] = character;
      for (let end = at + 1; end <= Math.min(text.length, at + longest); end++) {
        const piece = pieces.get(text.slice(at, end));
        if (piece === undefined) continue;
        const score = piece.score + (best[end] ?? Number.NEGATIVE_INFINITY);
        if (score <= (best[at] as number)) continue;
        best[at] = score;
        ends[at] = end;
        chosen[at] = piece;
      }
    }
    return { ends, chosen };
  }

  return {
    encode(text) {
      const marked = `${BLANK}${text.replaceAll(" ", BLANK)}`;
      const { ends, chosen } = choose(marked);
      const tokens: TextToken[] = [];
      for (let at = 0; at < marked.length; at = ends[at] as number) {
        const end = ends[at] as number;
        // The blank before the text is none of its own.
        const range = { start: Math.max(0, at - 1), end: Math.max(0, end - 1) };
        const piece = chosen[at] ?? null;
        if (piece !== null) tokens.push({ id: piece.id, ...range });
        else for (const id of spell(marked.slice(at, end))) tokens.push({ id, ...range });
      }
      return tokens;
    },
  };
}
