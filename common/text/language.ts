/** Scripts that name a language well enough to speak it, in the order they are tried. */
const scripts: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "ja"],
  [/\p{Script=Hangul}/u, "ko"],
  [/\p{Script=Han}/u, "zh"],
  [/\p{Script=Cyrillic}/u, "ru"],
  [/\p{Script=Arabic}/u, "ar"],
  [/\p{Script=Devanagari}/u, "hi"],
  [/\p{Script=Greek}/u, "el"],
  [/\p{Script=Hebrew}/u, "he"],
  [/\p{Script=Thai}/u, "th"],
  [/\p{Script=Bengali}/u, "bn"],
  [/\p{Script=Tamil}/u, "ta"],
  [/\p{Script=Telugu}/u, "te"],
  [/\p{Script=Gujarati}/u, "gu"],
  [/\p{Script=Kannada}/u, "kn"],
  [/\p{Script=Malayalam}/u, "ml"],
  [/\p{Script=Gurmukhi}/u, "pa"],
  [/\p{Script=Georgian}/u, "ka"],
  [/\p{Script=Armenian}/u, "hy"],
  [/\p{Script=Ethiopic}/u, "am"],
  [/\p{Script=Myanmar}/u, "my"],
  [/\p{Script=Sinhala}/u, "si"],
];

/**
 * Guesses the language of a text from the script of its letters; a text that is mostly Latin letters, or has none, is
 * English. Cheap and coarse: callers that know better name the language.
 */
export function detectLanguage(text: string): string {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (latin * 2 >= letters.length) return "en";
  const foreign = letters.filter((letter) => !/\p{Script=Latin}/u.test(letter)).join("");
  return scripts.find(([script]) => script.test(foreign))?.[1] ?? "en";
}
