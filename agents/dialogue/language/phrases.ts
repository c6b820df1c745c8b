/** Sentences that the agent says without a language model. */
interface Phrases {
  /** Said while a tool makes the caller wait. */
  filler: string;
  /** The model failed; the caller may go on. */
  apology: string;
  /** The model failed again; the conversation ends. */
  lastSentence: string;
}

const english: Phrases = {
  filler: "One moment, please.",
  apology: "I'm sorry, something went wrong on my side. Could you say that again?",
  lastSentence: "I'm sorry, I can't go on at the moment. Please try again later. Goodbye.",
};

const phrases: Readonly<Partial<Record<string, Phrases>>> = {
  en: english,
  de: {
    filler: "Einen Moment bitte.",
    apology: "Entschuldigung, bei mir ist etwas schiefgegangen. Können Sie das bitte wiederholen?",
    lastSentence:
      "Es tut mir leid, ich kann gerade nicht weitermachen. Bitte versuchen Sie es später. Auf Wiederhören.",
  },
  fr: {
    filler: "Un instant, s'il vous plaît.",
    apology: "Excusez-moi, j'ai rencontré un problème. Pouvez-vous répéter, s'il vous plaît ?",
    lastSentence: "Je suis désolé, je ne peux pas continuer pour le moment. Réessayez plus tard. Au revoir.",
  },
  es: {
    filler: "Un momento, por favor.",
    apology: "Perdone, ha habido un problema. ¿Puede repetirlo, por favor?",
    lastSentence: "Lo siento, ahora mismo no puedo continuar. Inténtelo más tarde. Adiós.",
  },
  ja: {
    filler: "少々お待ちください。",
    apology: "申し訳ありません、問題が発生しました。もう一度お願いできますか。",
    lastSentence: "申し訳ありません、ただいま続けることができません。後ほどおかけ直しください。失礼いたします。",
  },
  zh: {
    filler: "请稍等。",
    apology: "抱歉，我这边出了点问题。您能再说一遍吗？",
    lastSentence: "抱歉，我现在无法继续。请稍后再试。再见。",
  },
  ko: {
    filler: "잠시만 기다려 주세요.",
    apology: "죄송합니다, 문제가 생겼습니다. 다시 한번 말씀해 주시겠어요?",
    lastSentence: "죄송합니다, 지금은 계속할 수 없습니다. 나중에 다시 연락해 주세요. 안녕히 계세요.",
  },
};

/** What the agent says by itself in a language (BCP-47 primary subtag); English where there is nothing. */
export const phrasesOf = (language: string): Phrases => phrases[language] ?? english;
