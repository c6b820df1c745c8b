import { wordsOf } from "../dialogue/language/words.js";

/** How the destination of a transfer is asked, and how they answer. */
interface ConfirmationWords {
  /** Says that somebody calls; what they want is said behind it. */
  announcement: string;
  question: string;
  /** Each a whole answer, or the beginning of one, in lower case without punctuation. */
  yes: readonly string[];
  no: readonly string[];
}

const english: ConfirmationWords = {
  announcement: "Hello. I have a caller for you.",
  question: "To take the call, press one or say yes. To decline, press two or say no.",
  yes: ["yes", "yeah", "yep", "sure", "okay", "ok", "of course", "go ahead", "put them through", "one"],
  no: ["no", "nope", "not now", "i can't", "sorry", "two"],
};

const table: Readonly<Partial<Record<string, ConfirmationWords>>> = {
  en: english,
  de: {
    announcement: "Guten Tag. Ich habe einen Anruf für Sie.",
    question: "Um ihn anzunehmen, drücken Sie die Eins oder sagen Sie Ja. Sonst die Zwei oder Nein.",
    yes: ["ja", "jawohl", "gern", "gerne", "okay", "ok", "klar", "natürlich", "eins"],
    no: ["nein", "nee", "jetzt nicht", "leider", "zwei"],
  },
  fr: {
    announcement: "Bonjour. J'ai un appel pour vous.",
    question: "Pour le prendre, appuyez sur un ou dites oui. Sinon, appuyez sur deux ou dites non.",
    yes: ["oui", "ouais", "d'accord", "bien sûr", "ok", "un"],
    no: ["non", "pas maintenant", "désolé", "deux"],
  },
  es: {
    announcement: "Hola. Tengo una llamada para usted.",
    question: "Para aceptarla, pulse uno o diga sí. Si no, pulse dos o diga no.",
    yes: ["sí", "si", "claro", "vale", "de acuerdo", "uno"],
    no: ["no", "ahora no", "lo siento", "dos"],
  },
  ja: {
    announcement: "お電話をおつなぎします。",
    question: "お受けになる場合は1を押すか「はい」と、お断りの場合は2を押すか「いいえ」とお答えください。",
    yes: ["はい", "ええ", "お願いします", "大丈夫です"],
    no: ["いいえ", "無理です", "すみません"],
  },
  zh: {
    announcement: "您好，有一位来电者找您。",
    question: "接听请按1或说“好”，拒绝请按2或说“不”。",
    yes: ["好", "好的", "是", "是的", "可以", "行"],
    no: ["不", "不行", "不要", "没空"],
  },
  ko: {
    announcement: "안녕하세요. 전화가 와 있습니다.",
    question: "받으시려면 1번을 누르거나 네라고, 아니면 2번을 누르거나 아니요라고 말씀해 주세요.",
    yes: ["네", "예", "좋아요", "연결해 주세요"],
    no: ["아니요", "아니", "안 돼요", "죄송합니다"],
  },
};

/** Those of a language (BCP-47 primary subtag); English where it has none. */
export const confirmationWordsOf = (language: string): ConfirmationWords => table[language] ?? english;

/** A greeting of a machine is longer, and may have any word in it. */
const MOST_WORDS = 6;

/** What an answer means; null where it says neither. Pure. */
export function confirmationOf(text: string, language: string): "accepted" | "declined" | null {
  const words = wordsOf(text);
  if (words.length > MOST_WORDS) return null;
  const said = words.join(" ");
  const { yes, no } = confirmationWordsOf(language);
  const isSaid = (phrase: string): boolean => said === phrase || said.startsWith(`${phrase} `);
  if (no.some(isSaid)) return "declined";
  return yes.some(isSaid) ? "accepted" : null;
}
