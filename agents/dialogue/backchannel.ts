import { backchannelWordsOf } from "./language/backchannel-words.js";
import { wordsOf } from "./language/words.js";

/** What words that a caller says while the agent speaks amount to. */
export interface Interjection {
  /** Words, hesitations not counted; 0 where all of them are backchannels. */
  realWords: number;
  /** Whether it holds a word that interrupts in any case ("stop"). */
  isStop: boolean;
  /** Whether it ends with one that is a single word, which may still become another one ("okay" of "no"). */
  endsWithStop: boolean;
}

/** Words of the longest phrase in the tables. */
const LONGEST_PHRASE = 4;

/**
 * Tells backchannels ("mhm", "I see") from words that want the floor. After a question of the agent, assents are
 * answers.
 */
export function interjectionOf(text: string, language: string, followsQuestion: boolean): Interjection {
  const words = wordsOf(text);
  const { assents, hesitations, stops } = backchannelWordsOf(language);
  let spokenWords = 0;
  let isReal = false;
  let [isStop, endsWithStop] = [false, false];
  for (let index = 0; index < words.length; ) {
    const { phrase, length } = longestKnown(words, index, [stops, assents, hesitations]);
    const isAssent = assents.has(phrase) && !followsQuestion;
    isStop ||= stops.has(phrase);
    endsWithStop = stops.has(phrase) && length === 1;
    if (stops.has(phrase) || !hesitations.has(phrase)) {
      spokenWords += length;
      isReal ||= !isAssent;
    }
    index += length;
  }
  return { realWords: isReal ? spokenWords : 0, isStop, endsWithStop };
}

function longestKnown(
  words: readonly string[],
  index: number,
  sets: readonly ReadonlySet<string>[],
): { phrase: string; length: number } {
  for (let length = Math.min(LONGEST_PHRASE, words.length - index); length > 1; length--) {
    const phrase = words.slice(index, index + length).join(" ");
    if (sets.some((set) => set.has(phrase))) return { phrase, length };
  }
  return { phrase: words[index] ?? "", length: 1 };
}
