import { wordsOf } from "../../dialogue/language/words.js";

/**
 * What is said at the beginning of an answered call: something that machines say, a question or a name with which
 * people end ("how can I help you?", "Smith speaking"), or a greeting, with which machines begin, too.
 */
export type GreetingSign = "machine" | "closing" | "greeting" | null;

/** What gives away who says it. A phrase is a list of words in their order; each may be one of several. */
interface GreetingPhrases {
  /** No person says these when picking up. */
  machine: readonly Phrase[];
  /** A person who has said these waits for an answer. */
  closing: readonly Phrase[];
  /** So does one who has said nothing else. */
  greeting: readonly Phrase[];
}

type Phrase = readonly (readonly string[])[];

/** Between two words of a phrase stand so many others at most. */
const MOST_BETWEEN = 3;
/** Behind what a person ends with come so many words at most ("how can I help you today?"), and behind a greeting. */
const MOST_BEHIND_CLOSING = 2;
const MOST_BEHIND_GREETING = 1;

/** Phrases apart by a comma, words by a space, alternatives by a stroke. */
const phrases = (text: string): Phrase[] =>
  text.split(", ").map((phrase) => phrase.split(" ").map((word) => word.split("|")));

const english: GreetingPhrases = {
  machine: phrases(
    "leave message|messages, leave name, leave number, leave us|me your, after|at|until tone|beep|signal, voicemail, voice mail, " +
      "mailbox, answering machine|service, record message|name, not|isn't|aren't available, unavailable, " +
      "can't|cannot|couldn't|unable come|get|take|answer|pick phone|call|calls|telephone, away from phone|desk|office, " +
      "get back to you, return your call, call you back soon, call is important, number you have|dialed, " +
      "you trying|tried reach, currently|now|is|are closed, office|opening hours, press one|two|zero|pound",
  ),
  closing: phrases(
    "help|assist you, may|can|could help|assist, speaking, who|who's is|this|calling|speaking|there, what|how can|may|could do|help, is that you, " +
      "hear me, anybody|anyone there, what's up",
  ),
  greeting: phrases("hello, hi, hey, yes, yeah, yep, good morning|afternoon|evening"),
};

const table: Readonly<Partial<Record<string, GreetingPhrases>>> = {
  en: english,
  de: {
    machine: phrases(
      "nach dem|einem signalton|piepton|ton|signal, nachricht hinterlassen, hinterlassen sie|uns|mir, mailbox, " +
        "anrufbeantworter, nicht erreichbar, nicht persönlich, leider nicht, rufen|rufe zurück, außerhalb geschäftszeiten",
    ),
    closing: phrases("helfen, am apparat, wer ist|spricht da|dort, was kann ich"),
    greeting: phrases("hallo, ja, bitte, guten tag|morgen|abend"),
  },
  fr: {
    machine: phrases(
      "après le bip|signal, laissez|laisser message, messagerie, répondeur, pas disponible, indisponible, " +
        "ne pas répondre, rappellerai|rappellerons",
    ),
    closing: phrases("vous aider, qui est|êtes, à l'appareil"),
    greeting: phrases("allô, allo, oui, bonjour, bonsoir"),
  },
  es: {
    machine: phrases(
      "después señal|tono, deje|dejar mensaje, buzón, contestador, no disponible, no puedo|podemos atender|contestar",
    ),
    closing: phrases("ayudarle, ayudar, quién es|habla"),
    greeting: phrases("diga, dígame, sí, hola, bueno, buenos|buenas días|tardes|noches"),
  },
};

/** Languages written without spaces: what gives a machine away, as it is written. */
const written: Readonly<Partial<Record<string, readonly string[]>>> = {
  ja: ["留守番電話", "留守電", "発信音", "電話に出ることができません", "伝言", "メッセージをお"],
  zh: ["留言", "语音信箱", "語音信箱", "提示音", "嘀声", "无法接听", "暂时无法", "已关机"],
  ko: ["음성사서함", "삐 소리", "소리샘", "메시지를 남겨", "받을 수 없"],
};

/** What the words of a greeting, so far, speak for, in a language (BCP-47 primary subtag). Pure. */
export function judgeGreeting(text: string, language: string): GreetingSign {
  if (written[language]?.some((phrase) => text.includes(phrase)) === true) return "machine";
  const words = wordsOf(text);
  const { machine, closing, greeting } = table[language] ?? english;
  if (machine.some((phrase) => stands(phrase, words))) return "machine";
  const isNearEnd = (phrase: Phrase, mostBehind: number): boolean =>
    words.some((_, first) => {
      const end = endFrom(phrase, words, first);
      return end !== null && words.length - end <= mostBehind;
    });
  if (closing.some((phrase) => isNearEnd(phrase, MOST_BEHIND_CLOSING))) return "closing";
  return greeting.some((phrase) => isNearEnd(phrase, MOST_BEHIND_GREETING)) ? "greeting" : null;
}

const stands = (phrase: Phrase, words: readonly string[]): boolean =>
  words.some((_, first) => endFrom(phrase, words, first) !== null);

/** The index behind a phrase that begins with this word; null where none does. */
function endFrom(phrase: Phrase, words: readonly string[], first: number): number | null {
  let at = first;
  for (const [index, slot] of phrase.entries()) {
    const most = index === 0 ? at : Math.min(words.length - 1, at + MOST_BETWEEN);
    let found = at;
    while (found <= most && !slot.includes(words[found] ?? "")) found++;
    if (found > most || found >= words.length) return null;
    at = found + 1;
  }
  return at;
}
