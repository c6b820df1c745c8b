import { cleanText } from "./clean.js";
import { speakEnglish } from "./english.js";
import { putsDayFirst, readsAsEnglish } from "./language.js";
import { passThrough } from "./passthrough.js";
import { settle } from "./settle.js";
import type { NormalizedText } from "./span.js";

export type { NormalizedText, SpokenSpan } from "./span.js";

/**
 * Text as it is spoken: in English, numbers, dates, times, money, units, abbreviations, addresses and signs become
 * words and at most one punctuation mark stays after each; in other languages only what cannot be spoken (control
 * characters, emoji) goes.
 *
 * `language` is BCP-47; null takes English for text in Latin script. Spans give, for each source word in order, the
 * UTF-16 range of what it became; a word of the spoken text lies in exactly one span. Never throws; linear in the
 * length of the text; normalizing the result again changes nothing.
 */
export function normalizeText(text: string, language: string | null): NormalizedText {
  const clean = cleanText(text, true);
  if (readsAsEnglish(clean.text, language)) {
    const dayFirst = putsDayFirst(language);
    return settle(speakEnglish(clean, dayFirst), (spoken) => speakEnglish(cleanText(spoken, true), dayFirst));
  }
  return passThrough(cleanText(text, false));
}
