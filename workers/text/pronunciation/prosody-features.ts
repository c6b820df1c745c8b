import { listItems } from "./intonation.js";
import { isVowel, PRIMARY, SECONDARY } from "./phones.js";
import { endsSentence } from "./phrasing.js";
import type { SpokenToken } from "./tokens.js";
import { wordKind, wordKinds } from "./word-kinds.js";

/** A symbol and the token (word or pause) that it belongs to; -1 for the boundary between words. */
export interface TokenSymbol {
  symbol: string;
  tokenIndex: number;
}

const marks = ["|", ",", ":", ";", ".", "!", "?"] as const;
const sentenceTypes = ["statement", "yes-no question", "content question", "exclamation", "unfinished"] as const;

/**
 * What a prosody graph is given for each symbol besides the symbol, in this order, with the number of values of each. The
 * graph is trained on these columns (`models/training/voice/prosody.py`): another order needs another graph.
 */
export const prosodyColumns = {
  stressed: 2,
  /** Place in the graph's list of common words, counted from 1; 0 for other words. Its size is the list's. */
  word: null,
  wordKind: wordKinds.length,
  syllablesBefore: 6,
  syllablesAfter: 6,
  wordsFromPhraseStart: 10,
  wordsToPhraseEnd: 10,
  wordsFromSentenceStart: 16,
  wordsToSentenceEnd: 16,
  phrasesFromSentenceStart: 5,
  phrasesToSentenceEnd: 5,
  markAfterPhrase: marks.length + 1,
  /** Where no mark stands before: whether the text begins as a sentence does. */
  markBeforePhrase: marks.length + 2,
  sentenceType: sentenceTypes.length,
  saidBefore: 2,
  name: 2,
  listItem: 2,
} as const;

type Column = keyof typeof prosodyColumns;
/** Values of the columns, in their order. */
export type ProsodyRow = readonly number[];

type WordColumn = Exclude<Column, "stressed" | "syllablesBefore" | "syllablesAfter">;

/**
 * The columns of each symbol that lasts (phones, word boundaries, pauses), null for stress marks. `text` is what the
 * tokens were made from, `commonWords` the graph's list.
 */
export function prosodyFeatures(
  text: string,
  tokens: readonly SpokenToken[],
  symbols: readonly TokenSymbol[],
  commonWords: ReadonlyMap<string, number>,
): (ProsodyRow | null)[] {
  const ofTokens = tokenColumns(text, tokens, commonWords);
  const syllables = syllablePlaces(symbols);
  let lastToken = 0;
  return symbols.map(({ symbol, tokenIndex }, i) => {
    if (tokenIndex >= 0) lastToken = tokenIndex;
    const ofToken = ofTokens[lastToken];
    if (symbol === PRIMARY || symbol === SECONDARY || ofToken === undefined) return null;
    const [before, after] = tokenIndex < 0 ? [0, 0] : (syllables[i] ?? [0, 0]);
    const own: Record<Column, number> = {
      ...ofToken,
      stressed: symbols[i - 1]?.symbol === PRIMARY ? 1 : 0,
      syllablesBefore: Math.min(before, 5),
      syllablesAfter: Math.min(after, 5),
    };
    return (Object.keys(prosodyColumns) as Column[]).map((column) => own[column]);
  });
}

/** Syllables of the same word before and after each symbol. */
function syllablePlaces(symbols: readonly TokenSymbol[]): (readonly [before: number, after: number])[] {
  const total = new Map<number, number>();
  for (const { symbol, tokenIndex } of symbols)
    if (isVowel(symbol)) total.set(tokenIndex, (total.get(tokenIndex) ?? 0) + 1);
  const begun = new Map<number, number>();
  return symbols.map(({ symbol, tokenIndex }) => {
    const before = begun.get(tokenIndex) ?? 0;
    const own = isVowel(symbol) ? 1 : 0;
    begun.set(tokenIndex, before + own);
    return [before, (total.get(tokenIndex) ?? 0) - before - own];
  });
}

function tokenColumns(
  text: string,
  tokens: readonly SpokenToken[],
  commonWords: ReadonlyMap<string, number>,
): Record<WordColumn, number>[] {
  const items = listItems(tokens);
  const said = new Set<string>();
  const columns: Record<WordColumn, number>[] = [];
  for (const sentence of sentencesOf(tokens)) {
    const sentenceType = sentenceTypes.indexOf(typeOf(text, sentence));
    const phrases = runsUpTo(sentence, ({ kind }) => kind === "pause");
    const words = sentence.filter(({ kind }) => kind === "word").length;
    let fromSentenceStart = 0;
    for (const [p, phrase] of phrases.entries()) {
      const wordsHere = phrase.filter(({ kind }) => kind === "word").length;
      const before = tokens[columns.length - 1];
      const markBeforePhrase =
        before?.kind === "pause" ? marks.indexOf(before.mark) + 2 : beginsSentence(tokens[0]) ? 1 : 0;
      const last = phrase.at(-1);
      for (const [w, token] of phrase.entries()) {
        const isWord = token.kind === "word";
        const lower = isWord ? token.text.toLowerCase() : "";
        const isName = isWord && fromSentenceStart > 0 && /^[A-Z][a-z]/.test(token.text);
        columns.push({
          word: commonWords.get(lower) ?? 0,
          wordKind: isWord ? wordKind(token.text, isName) : 0,
          wordsFromPhraseStart: Math.min(w, 9),
          wordsToPhraseEnd: Math.max(0, Math.min(wordsHere - 1 - w, 9)),
          wordsFromSentenceStart: Math.min(fromSentenceStart, 15),
          wordsToSentenceEnd: Math.max(0, Math.min(words - 1 - fromSentenceStart, 15)),
          phrasesFromSentenceStart: Math.min(p, 4),
          phrasesToSentenceEnd: Math.min(phrases.length - 1 - p, 4),
          markAfterPhrase: last?.kind === "pause" ? marks.indexOf(last.mark) + 1 : 0,
          markBeforePhrase,
          sentenceType,
          saidBefore: lower !== "" && said.has(lower) ? 1 : 0,
          name: isName ? 1 : 0,
          listItem: items.has(columns.length) ? 1 : 0,
        });
        if (isWord) {
          said.add(lower);
          fromSentenceStart++;
        }
      }
    }
  }
  return columns;
}

function sentencesOf(tokens: readonly SpokenToken[]): SpokenToken[][] {
  return runsUpTo(tokens, endsSentence);
}

/** The tokens in runs, each up to and with one that `ends` it. */
function runsUpTo(tokens: readonly SpokenToken[], ends: (token: SpokenToken) => boolean): SpokenToken[][] {
  const runs: SpokenToken[][] = [];
  let run: SpokenToken[] = [];
  for (const token of tokens) {
    run.push(token);
    if (!ends(token)) continue;
    runs.push(run);
    run = [];
  }
  return run.length > 0 ? [...runs, run] : runs;
}

function typeOf(text: string, sentence: readonly SpokenToken[]): (typeof sentenceTypes)[number] {
  const last = sentence.at(-1);
  if (last?.kind !== "pause") return "unfinished";
  if (last.mark === "?") return "yes-no question";
  if (last.mark === "!") return "exclamation";
  // What asks for no yes or no has lost its mark: the voice lets it fall.
  if (text.slice(last.range.start, last.range.end) === "?") return "content question";
  return last.mark === "." && last.range.start === last.range.end ? "unfinished" : "statement";
}

/** A text that goes on from another begins with a small letter. */
function beginsSentence(first: SpokenToken | undefined): boolean {
  return first?.kind === "word" && /^[^a-z]/.test(first.text);
}
