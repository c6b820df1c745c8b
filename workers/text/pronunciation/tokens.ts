import { digitsToWords, numeralToWords } from "../normalization/numbers.js";
import type { TextRange } from "../spoken-text.js";

/** A word as written, or a pause of one mark. */
export type SpokenToken =
  | {
      kind: "word";
      text: string;
      range: TextRange /** Tied to the word before or after by a hyphen. */;
      hyphenated: boolean;
    }
  | { kind: "pause"; mark: PauseMark; range: TextRange };

export type PauseMark = "." | "," | "?" | "!" | ";" | ":" | "|";

const tokenPattern =
  /(['’]?[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*['’]?)|(\p{Nd}+(?:[.,]\p{Nd}+)*)|([^\s\p{L}\p{M}\p{Nd}])/gu;

const signs: Readonly<Record<string, string>> = {
  "&": "and",
  "%": "percent",
  "+": "plus",
  "=": "equals",
  "@": "at",
  $: "dollars",
  "€": "euros",
  "£": "pounds",
  "°": "degrees",
  "#": "number",
  "×": "times",
  "÷": "divided by",
  "©": "copyright",
};
const pauses: Readonly<Record<string, PauseMark>> = {
  ".": ".",
  ",": ",",
  "?": "?",
  "!": "!",
  ";": ";",
  ":": ":",
  "…": ",",
  "—": ",",
  "–": ",",
  "(": ",",
  ")": ",",
  "[": ",",
  "]": ",",
};

/** Letters that decomposition does not take apart. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  "’": "'",
};

/**
 * Latin letters in any typographic form (mathematical, full width, ligatures) without their marks, typographic
 * apostrophes as plain ones; case stays. Other scripts are dropped: there are no sounds for them.
 */
function plainWord(text: string): string {
  if (/^[A-Za-z']*$/.test(text)) return text;
  const replaced = text.replace(/[ßæœøłđðþı’]/gi, (letter) => {
    const plain = plainLetters[letter.toLowerCase()] ?? "";
    return letter === letter.toLowerCase() ? plain : plain.toUpperCase();
  });
  return replaced.normalize("NFKD").replace(/[^A-Za-z']/g, "");
}

/** Words and pauses of a text, in order; figures and signs that are still in it become words at their place. */
export function tokensOf(text: string): SpokenToken[] {
  const tokens: SpokenToken[] = [];
  for (const match of text.matchAll(tokenPattern)) {
    const [whole, letters, digits] = match;
    const range = { start: match.index, end: match.index + whole.length };
    if (letters !== undefined) addWord(tokens, text, plainWord(letters), range);
    else if (digits !== undefined) addWords(tokens, readDigits(digits), range);
    else if (Object.hasOwn(signs, whole)) addWords(tokens, signs[whole] ?? "", range);
    else if (Object.hasOwn(pauses, whole) && isPause(text, range))
      tokens.push({ kind: "pause", mark: pauses[whole] ?? ",", range });
    else if (whole === "-" && /\s/.test(text[range.start - 1] ?? " ") && tokens.length > 0)
      tokens.push({ kind: "pause", mark: ",", range });
  }
  return tokens;
}

function addWord(tokens: SpokenToken[], text: string, word: string, range: TextRange): void {
  if (!/[A-Za-z]/.test(word)) return;
  const hyphenated =
    text[range.end] === "-" || (text[range.start - 1] === "-" && /[\p{L}\p{Nd}]/u.test(text[range.start - 2] ?? ""));
  tokens.push({ kind: "word", text: word, range, hyphenated });
}

function addWords(tokens: SpokenToken[], words: string, range: TextRange): void {
  for (const word of words.split(/[ -]/)) tokens.push({ kind: "word", text: word, range, hyphenated: false });
}

/** Text that came unnormalized: numbers as numbers, what is none as digits. */
function readDigits(digits: string): string {
  const plain = digits.replace(/\p{Nd}/gu, (digit) => String(valueOfDigit(digit)));
  return numeralToWords(plain) ?? digitsToWords(plain.replace(/\D/g, ""));
}

/** Value of a decimal digit of any script: digits of one script are ten code points in order. */
function valueOfDigit(digit: string): number {
  const code = digit.codePointAt(0) ?? 48;
  if (code < 128) return code - 48;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return code - zero;
}

/** A mark between letters or digits is part of a name: "node.js", "3:30". */
function isPause(text: string, range: TextRange): boolean {
  if (!/[.,:]/.test(text[range.start] ?? "")) return true;
  return !(/[\p{L}\p{N}]/u.test(text[range.start - 1] ?? "") && /[\p{L}\p{N}]/u.test(text[range.end] ?? ""));
}
