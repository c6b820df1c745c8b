import { de } from "./de.js";
import { en } from "./en.js";
import { es } from "./es.js";
import { fr } from "./fr.js";
import { it } from "./it.js";
import { ja } from "./ja.js";
import { pt } from "./pt.js";
import type { Words } from "./words.js";
import { zh } from "./zh.js";

const languages: Readonly<Record<string, Words>> = { de, en, es, fr, it, ja, pt, zh };

/** The words in the first of these languages (BCP 47 tags) that there are words in, and its code; English else. */
export function chooseWords(tags: readonly string[]): { language: string; words: Words } {
  for (const tag of tags) {
    const language = tag.toLowerCase().split(/[-_]/)[0] ?? "";
    const words = Object.hasOwn(languages, language) ? languages[language] : undefined;
    if (words !== undefined) return { language, words };
  }
  return { language: "en", words: en };
}
