import type { VoiceSymbol } from "../symbols.js";

/** What espeak's phonemes are called in Kokoro's alphabet (https://github.com/hexgrad/misaki), by accent. */
type Accent = "american" | "british" | "other";

type Respelling = readonly [from: string, to: string, accents?: readonly Accent[]];

const english: readonly Accent[] = ["american", "british"];

/**
 * Tried in this order: the longer before what it begins with. espeak's ties are not told here: what may be a diphthong
 * or affricate is one.
 */
const respellings: readonly Respelling[] = [
  ["ɜːɹ", "ɜɹ", ["american"]],
  ["ɜː", "ɜɹ", ["american"]],
  ["ɪə", "iə", ["american"]],
  ["iə", "ɪə", ["british"]],
  ["eə", "ɛː", ["british"]],
  ["aɪ", "I"],
  ["aʊ", "W"],
  ["eɪ", "A"],
  ["oʊ", "O"],
  ["əʊ", "Q"],
  ["ɔɪ", "Y"],
  ["dʒ", "ʤ"],
  ["tʃ", "ʧ"],
  ["ts", "ʦ", ["other"]],
  ["dz", "ʣ", ["other"]],
  ["n\u0329", "ᵊn"],
  ["l\u0329", "ᵊl"],
  ["m\u0329", "ᵊm"],
  ["ʔn", "tᵊn", english],
  ["ɚ", "əɹ", english],
  ["ɐ", "ə", english],
  ["e", "A", english],
  ["o", "ɔ", english],
  ["r", "ɹ", english],
  ["x", "k", english],
  ["ç", "k", english],
  ["ɬ", "l", english],
  ["ʔ", "t", english],
  ["ɾ", "T", english],
  ["ʲ", "", english],
  ["\u0303", "", english],
  ["ː", "", ["american"]],
];

/** Respells what espeak pronounced; each new symbol stands for the place of the first that it is made of. */
export function kokoroSymbols(symbols: readonly VoiceSymbol[], accent: Accent): VoiceSymbol[] {
  const fitting = respellings
    .filter(([, , accents]) => accents === undefined || accents.includes(accent))
    .map(([from, to]) => ({ from: [...from], to: [...to] }));
  const result: VoiceSymbol[] = [];
  for (let at = 0; at < symbols.length; ) {
    const first = symbols[at] as VoiceSymbol;
    const found = fitting.find(({ from }) => from.every((symbol, i) => symbols[at + i]?.symbol === symbol));
    for (const symbol of found?.to ?? [first.symbol]) result.push({ symbol, range: first.range });
    at += found?.from.length ?? 1;
  }
  return result;
}

/** How a speaker pronounces: espeak's voice, its language, and the spelling. */
export interface KokoroAccent {
  espeakVoice: string;
  language: string;
  accent: Accent;
}

/**
 * espeak voice and accent by the first letter of a speaker's name; other letters are of languages whose phonemes espeak
 * does not give.
 */
export const kokoroAccents: Readonly<Record<string, KokoroAccent>> = {
  a: { espeakVoice: "en-us", language: "en", accent: "american" },
  b: { espeakVoice: "en-gb", language: "en", accent: "british" },
  e: { espeakVoice: "es", language: "es", accent: "other" },
  f: { espeakVoice: "fr-fr", language: "fr", accent: "other" },
  h: { espeakVoice: "hi", language: "hi", accent: "other" },
  i: { espeakVoice: "it", language: "it", accent: "other" },
  p: { espeakVoice: "pt-br", language: "pt", accent: "other" },
};
