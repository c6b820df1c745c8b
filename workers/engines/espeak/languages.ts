/** Tags that callers use and espeak-ng does not list, or lists for a voice that is not the usual choice. */
const preferred: Readonly<Record<string, string>> = {
  en: "en-us",
  zh: "cmn",
  "zh-cn": "cmn",
  "zh-tw": "cmn",
  "zh-hk": "yue",
  no: "nb",
  "pt-br": "pt-br",
};

/**
 * The voice identifier that speaks a BCP-47 tag: the tag itself, then with subtags taken off from the right.
 * `languages` maps lower-case tags to identifiers. Null when no voice speaks the language.
 */
export function voiceForLanguage(tag: string, languages: Readonly<Record<string, string>>): string | null {
  const subtags = tag.toLowerCase().replaceAll("_", "-").split("-");
  for (let length = subtags.length; length > 0; length--) {
    const candidate = subtags.slice(0, length).join("-");
    const voice = languages[preferred[candidate] ?? candidate];
    if (voice !== undefined) return voice;
  }
  return null;
}

/** Primary subtags of all languages, plus the ones that `preferred` adds; sorted. */
export function primaryLanguages(languages: Readonly<Record<string, string>>): string[] {
  const primaries = [...Object.keys(languages), ...Object.keys(preferred)].map((tag) => tag.split("-")[0] ?? tag);
  return [...new Set(primaries)].filter((tag) => voiceForLanguage(tag, languages) !== null).sort();
}
