/** Scripts that one language writes; Japanese before Chinese, for it uses both. */
const languageByScript: readonly [language: string, pattern: RegExp][] = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["zh", /\p{Script=Han}/u],
  ["ko", /\p{Script=Hangul}/u],
  ["th", /\p{Script=Thai}/u],
  ["el", /\p{Script=Greek}/u],
  ["he", /\p{Script=Hebrew}/u],
  ["hy", /\p{Script=Armenian}/u],
  ["ka", /\p{Script=Georgian}/u],
  ["ta", /\p{Script=Tamil}/u],
  ["bn", /\p{Script=Bengali}/u],
];

/** Frequent words by which languages of the Latin script differ. */
const commonWords: Readonly<Record<string, readonly string[]>> = {
  en: ["the", "and", "of", "is", "to", "this", "that", "with", "you"],
  de: ["der", "die", "und", "ist", "das", "nicht", "ein", "ich", "mit"],
  fr: ["le", "les", "et", "est", "une", "des", "vous", "pas", "dans"],
  es: ["el", "los", "y", "es", "una", "que", "por", "con", "las"],
  it: ["il", "gli", "è", "che", "di", "non", "una", "sono", "della"],
  pt: ["o", "os", "é", "que", "não", "uma", "em", "com", "você"],
};

/**
 * Languages of a voice from the transcripts of its samples: those that a recognizer named, and a guess from the texts
 * for which none did. Gives primary BCP-47 subtags, each once.
 */
export function languagesOf(transcripts: readonly { text: string; languages: readonly string[] }[]): string[] {
  const unnamed = transcripts.filter(({ languages }) => languages.length === 0).map(({ text }) => text);
  return [...new Set([...guessLanguages(unnamed.join(" ")), ...transcripts.flatMap(({ languages }) => languages)])];
}

/**
 * Guesses the languages of a text for the list filters: from a script that only one language writes, else from frequent
 * words. Gives BCP-47 primary subtags, and none rather than a guess without evidence: a name alone says nothing.
 */
export function guessLanguages(text: string): string[] {
  const byScript = languageByScript.find(([, pattern]) => pattern.test(text));
  if (byScript !== undefined) return [byScript[0]];
  const words = text
    .normalize("NFC")
    .toLowerCase()
    .split(/[^\p{Letter}]+/u);
  const scores = Object.entries(commonWords).map(([language, known]) => ({
    language,
    score: words.filter((word) => known.includes(word)).length,
  }));
  const [best, second] = scores.sort((a, b) => b.score - a.score);
  return best !== undefined && best.score > (second?.score ?? 0) ? [best.language] : [];
}
