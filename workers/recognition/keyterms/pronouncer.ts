import { join } from "node:path";
import { normalizeText } from "../../text/normalization/index.js";
import { EnglishFrontEnd } from "../../text/pronunciation/front-end.js";
import { embeddedModels } from "../../repository/embedded.js";

/** Gives a written word's sequence of a recognizer's symbols; null when one of its phones is no such symbol. */
export type Pronouncer = (text: string) => Uint8Array | null;

/** Phones of the embedded voice's front end, and the names that CMUdict and flite have for them. */
const phoneNames: Readonly<Record<string, string>> = {
  ɑ: "aa",
  æ: "ae",
  ʌ: "ah",
  ɔ: "ao",
  ᴡ: "aw",
  ə: "ax",
  ᴉ: "ay",
  b: "b",
  ʧ: "ch",
  d: "d",
  ð: "dh",
  ɛ: "eh",
  ɝ: "er",
  ᴀ: "ey",
  f: "f",
  g: "g",
  h: "hh",
  ɪ: "ih",
  i: "iy",
  ʤ: "jh",
  k: "k",
  l: "l",
  m: "m",
  n: "n",
  ŋ: "ng",
  ᴏ: "ow",
  ʏ: "oy",
  p: "p",
  ɹ: "r",
  s: "s",
  ʃ: "sh",
  t: "t",
  θ: "th",
  ʊ: "uh",
  u: "uw",
  v: "v",
  w: "w",
  j: "y",
  z: "z",
  ʒ: "zh",
};

/** Marks of stress, words and pauses, which no recognizer's symbols show. */
const unheard = /^[ˈˌ\s.,?!;:|^$_]$/;

/** Longer sequences are no words. */
const MAX_SYMBOLS = 60;

/**
 * Pronounces English words for a recognizer whose symbols have the names `symbols`, by the lexicon and the
 * letter-to-sound model of the embedded voice. They are read from the disk for the first word.
 */
export function createPronouncer(symbols: readonly string[]): Pronouncer {
  let frontEnd: EnglishFrontEnd | null = null;
  return (text) => {
    frontEnd ??= EnglishFrontEnd.load(join(embeddedModels, "parley-en", "lexicon.bin"));
    const { spoken } = normalizeText(text, "en");
    const phones = frontEnd.pronounce(spoken).flatMap(({ symbol }) => (unheard.test(symbol) ? [] : [symbol]));
    const ids = phones.map((phone) => symbols.indexOf(phoneNames[phone] ?? ""));
    return ids.length === 0 || ids.length > MAX_SYMBOLS || ids.includes(-1) ? null : Uint8Array.from(ids);
  };
}
