import type { RecognizedWord } from "#protocol/transcription/chunk";

/** Words between two cuts of the audio. */
export interface PunctuatedStretch {
  words: readonly RecognizedWord[];
  /** BCP-47 language. */
  language: string;
  /** Whether a sentence begins with the first word, and whether one ends with the last. */
  begins: boolean;
  ends: boolean;
}

/** A pause that ends a sentence, and one that ends a part of it: chosen on clips of the training's readers. */
const SENTENCE_PAUSE_MS = 600;
const COMMA_PAUSE_MS = 200;

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const firstPerson = set("i i'm i'll i've i'd");
/** Without those that are other words too. */
const dayNames = set(
  "monday tuesday wednesday thursday friday saturday sunday january february april june july august september october november december",
);
const questionWords = set("what who whom whose where when why how which");
const auxiliaries = set(
  "is are was were do does did can could will would shall should have has had am may isn't aren't don't doesn't didn't can't couldn't won't wouldn't",
);
const subjects = set("i you he she it we they this that there the my your his her our their anyone anybody someone");
const amounts = set("many much long old far about often");

/**
 * Adds full stops, commas, question marks and capitals to words of English that have none, by pauses and words alone.
 * Words that have marks of their own stay, as do those of other languages.
 */
export function punctuate({ words, language, begins, ends }: PunctuatedStretch): readonly RecognizedWord[] {
  if (!/^en(?:-|$)/i.test(language) || words.some(({ text }) => /[.,?!]$/.test(text))) return words;
  const punctuated: RecognizedWord[] = [];
  let from = begins ? 0 : -1;
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    const pauseMs = next === undefined ? null : next.startMs - word.endMs;
    const isLast = pauseMs === null ? ends : pauseMs >= SENTENCE_PAUSE_MS;
    const isPart = pauseMs !== null && pauseMs >= COMMA_PAUSE_MS;
    const mark = isLast ? (from >= 0 && isQuestion(words, from, i) ? "?" : ".") : isPart ? "," : "";
    punctuated.push({ ...word, text: `${i === from ? capital(word.text) : named(word.text)}${mark}` });
    if (isLast) from = i + 1;
  }
  return punctuated;
}

/** What stands for `punctuate` where nobody wants it. */
export const asRecognized = ({ words }: PunctuatedStretch): readonly RecognizedWord[] => words;

function isQuestion(words: readonly RecognizedWord[], from: number, to: number): boolean {
  if (to === from) return false;
  const [first = "", second = ""] = [words[from]?.text, words[from + 1]?.text];
  const asksForThing = questionWords.has(first) && (auxiliaries.has(second) || amounts.has(second));
  return asksForThing || (auxiliaries.has(first) && subjects.has(second));
}

function named(text: string): string {
  return firstPerson.has(text) || dayNames.has(text) ? capital(text) : text;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
