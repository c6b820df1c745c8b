/** Longest prompt that is taken. */
export const MAX_PROMPT_CHARACTERS = 20_000;

/** Most words that go with each piece of audio; of a longer list the first, of a longer prompt the last. */
const MAX_KEYTERMS = 100;
/** Longer ones are no words. */
const MAX_KEYTERM_CHARACTERS = 50;

/** The words of a list of terms that a client expects, each once. */
export function keytermsOf(terms: readonly string[]): string[] {
  const words = terms.flatMap((term) => term.split(/[\s,;]+/));
  return bounded(words).slice(0, MAX_KEYTERMS);
}

/**
 * The words of a prompt, each once and as it is written; the recognizer passes over common ones. A capital at the
 * beginning of a sentence says nothing about its word.
 */
export function keytermsOfPrompt(prompt: string): string[] {
  const tokens = prompt.split(/\s+/).filter((token) => token !== "");
  const words = tokens.map((token, i) => {
    const word = bare(token);
    const isFirst = i === 0 || /[.!?]["')]*$/.test(tokens[i - 1] as string);
    const isSentence = isFirst && token === word && /^\p{Ll}/u.test(tokens[i + 1] ?? "");
    return isSentence && /^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() : word;
  });
  return bounded(words).slice(-MAX_KEYTERMS);
}

function bounded(words: readonly string[]): string[] {
  return [...new Set(words.map(bare))].filter((word) => word !== "" && word.length <= MAX_KEYTERM_CHARACTERS);
}

/** A token without what stands around its letters and digits. */
function bare(token: string): string {
  const characters = [...token];
  const first = characters.findIndex(isOfWord);
  return first < 0 ? "" : characters.slice(first, characters.findLastIndex(isOfWord) + 1).join("");
}

function isOfWord(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}
