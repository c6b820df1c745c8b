import type { ProsodyRow } from "../../text/pronunciation/prosody-features.js";
import type { TextRange } from "../../text/spoken-text.js";

/** One symbol to speak, and the range of the spoken text that it came from. */
export interface VoiceSymbol {
  symbol: string;
  range: TextRange;
  /**
   * Added to the voice's own pitch, and factor on its duration, where the graph can be steered by id; 0 and 1 when
   * absent.
   */
  pitchSemitones?: number;
  durationFactor?: number;
  /** What a prosody graph is given for it; absent where it lasts no time or nothing is known of words. */
  prosody?: ProsodyRow;
}

/**
 * The symbols of a voice with `phoneme_type: text`: the letters themselves, lower case and decomposed, as Piper does.
 */
export function textSymbols(text: string): VoiceSymbol[] {
  const symbols: VoiceSymbol[] = [];
  let at = 0;
  for (const character of text) {
    const range = { start: at, end: at + character.length };
    at = range.end;
    for (const symbol of character.toLowerCase().normalize("NFD")) symbols.push({ symbol, range });
  }
  return symbols;
}

/** Symbols that the voice has; runs of blanks become one. A voice that lacks a symbol leaves it out. */
export function knownSymbols(
  symbols: readonly VoiceSymbol[],
  ids: Readonly<Record<string, readonly number[]>>,
): VoiceSymbol[] {
  const known: VoiceSymbol[] = [];
  for (const symbol of symbols) {
    const blank = /^\s$/u.test(symbol.symbol);
    const named = blank ? { ...symbol, symbol: " " } : symbol;
    if (!Object.hasOwn(ids, named.symbol)) continue;
    if (blank && (known.length === 0 || known.at(-1)?.symbol === " ")) continue;
    known.push(named);
  }
  return known;
}

/** True when something of it would be audible. */
export function isSpeakable(symbols: readonly VoiceSymbol[]): boolean {
  return symbols.some(({ symbol }) => /[\p{L}\p{N}\p{M}]/u.test(symbol));
}

/** Pauses after which a piece may end as a clause does. */
const pauseMarks = new Set([".", "!", "?", ";", ":", ",", "|"]);

/** True for the symbols of pauses. */
export function isPauseMark(symbol: string): boolean {
  return pauseMarks.has(symbol);
}

/** A piece for one call of the graph: the ids, and for each id the index of its symbol, or -1 for the marks between. */
export interface Piece {
  symbols: VoiceSymbol[];
  ids: number[];
  symbolOfId: number[];
}

/**
 * Cuts symbols into pieces whose ids fit `maxIds`: after a pause in their second half, else at a blank where there is
 * one.
 */
export function cutIntoPieces(
  symbols: readonly VoiceSymbol[],
  idMap: Readonly<Record<string, readonly number[]>>,
  maxIds: number,
): Piece[] {
  const pieces: Piece[] = [];
  let rest = [...symbols];
  while (rest.length > 0) {
    let fitting = 0;
    let used = idsOf("^", idMap).length + idsOf("_", idMap).length + idsOf("$", idMap).length;
    while (fitting < rest.length) {
      const more = idsOf(rest[fitting]?.symbol ?? "", idMap).length + idsOf("_", idMap).length;
      if (used + more > maxIds) break;
      used += more;
      fitting++;
    }
    if (fitting < rest.length) {
      const pause = rest.slice(0, fitting).findLastIndex(({ symbol }) => isPauseMark(symbol));
      const blank = rest.slice(0, fitting).findLastIndex(({ symbol }) => symbol === " ");
      fitting = pause > fitting / 2 ? pause + 1 : blank > 0 ? blank + 1 : Math.max(1, fitting);
    }
    pieces.push(toIds(rest.slice(0, fitting), idMap));
    rest = rest.slice(fitting);
  }
  return pieces;
}

/** The sequence `^ _ (symbol _)* $` of Piper's voices. */
function toIds(symbols: VoiceSymbol[], idMap: Readonly<Record<string, readonly number[]>>): Piece {
  const piece: Piece = { symbols, ids: [], symbolOfId: [] };
  const add = (symbol: string, index: number): void => {
    for (const id of idsOf(symbol, idMap)) {
      piece.ids.push(id);
      piece.symbolOfId.push(index);
    }
  };
  add("^", -1);
  add("_", -1);
  for (const [index, { symbol }] of symbols.entries()) {
    add(symbol, index);
    add("_", -1);
  }
  add("$", -1);
  return piece;
}

function idsOf(symbol: string, idMap: Readonly<Record<string, readonly number[]>>): readonly number[] {
  return Object.hasOwn(idMap, symbol) ? (idMap[symbol] ?? []) : [];
}
