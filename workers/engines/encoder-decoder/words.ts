import type { RecognizedWord } from "#protocol/transcription/chunk";
import type { ChosenToken, WrittenTokens } from "./tokens.js";

const TIMESTAMP_MS = 20;

/** Languages that are written without blanks: each group of whole characters is a word. */
const unspaced = new Set(["zh", "ja", "th", "lo", "my", "yue"]);

interface Written {
  text: string;
  logProbability: number;
  tokens: number;
}

/**
 * Puts tokens together to words. Whisper times phrases, not words, and Moonshine nothing: within a phrase, or all of the
 * audio, time is spread by the words' length.
 * A phrase that was not ended lasts as long as the audio.
 */
export function wordsOfTokens(
  tokens: readonly ChosenToken[],
  vocabulary: WrittenTokens,
  language: string,
  audioMs: number,
): RecognizedWord[] {
  const words: RecognizedWord[] = [];
  let phrase: ChosenToken[] = [];
  let startMs = 0;
  const finish = (endMs: number): void => {
    words.push(...placed(writtenWords(phrase, vocabulary, unspaced.has(language)), startMs, Math.max(startMs, endMs)));
    phrase = [];
  };
  for (const token of tokens) {
    if (token.id < vocabulary.firstTimestamp) phrase.push(token);
    else {
      const atMs = Math.min(audioMs, (token.id - vocabulary.firstTimestamp) * TIMESTAMP_MS);
      finish(atMs);
      startMs = Math.max(startMs, atMs);
    }
  }
  finish(Math.round(audioMs));
  return words;
}

function placed(written: readonly Written[], startMs: number, endMs: number): RecognizedWord[] {
  const total = written.reduce((sum, { text }) => sum + text.length, 0);
  let before = 0;
  const at = (characters: number): number =>
    Math.round(startMs + ((endMs - startMs) * characters) / Math.max(1, total));
  return written.map(({ text, logProbability, tokens }) => {
    const word = { text, startMs: Math.min(endMs, at(before)), endMs: Math.min(endMs, at(before + text.length)) };
    before += text.length;
    return { ...word, confidence: Math.round(Math.exp(logProbability / tokens) * 1000) / 1000 };
  });
}

function writtenWords(tokens: readonly ChosenToken[], vocabulary: WrittenTokens, everyGroup: boolean): Written[] {
  const words: Written[] = [];
  let afterBlank = false;
  for (const group of characterGroups(tokens, vocabulary)) {
    const text = group.text.trim();
    const last = words.at(-1);
    const begins = last === undefined || afterBlank || /^\s/u.test(group.text) || everyGroup;
    afterBlank = /\s$/u.test(group.text);
    // Marks belong to the word before them.
    const joins = last !== undefined && (!begins || !/[\p{L}\p{N}]/u.test(text));
    if (text === "") continue;
    if (!joins) words.push({ ...group, text });
    else {
      last.text += text;
      last.logProbability += group.logProbability;
      last.tokens += group.tokens;
    }
  }
  return words;
}

/** Tokens until the bytes are whole characters: one character may be spread over several. */
function characterGroups(tokens: readonly ChosenToken[], vocabulary: WrittenTokens): Written[] {
  const groups: Written[] = [];
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let bytes: number[] = [];
  let open: Omit<Written, "text"> = { logProbability: 0, tokens: 0 };
  const close = (text: string): void => {
    groups.push({ ...open, text });
    bytes = [];
    open = { logProbability: 0, tokens: 0 };
  };
  for (const { id, logProbability } of tokens) {
    bytes.push(...vocabulary.bytesOf(id));
    open = { logProbability: open.logProbability + logProbability, tokens: open.tokens + 1 };
    try {
      close(strict.decode(Uint8Array.from(bytes)));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  // Bytes that never became a character are shown as such.
  if (bytes.length > 0) close(new TextDecoder().decode(Uint8Array.from(bytes)));
  return groups;
}
