/** The fixed sentences of the embedded responder in one language. */
export interface Phrases {
  greeting: string;
  /** Says where the sentences come from that follow. */
  quote(sourceName: string): string;
  noAnswer: string;
  stillThere: string;
  farewell: string;
  welcome: string;
}

const english: Phrases = {
  greeting: "Hello. What would you like to know?",
  quote: (name) => `In “${name}” it says:`,
  noAnswer: "I have no answer to that.",
  stillThere: "Are you still there?",
  farewell: "Goodbye.",
  welcome: "You are welcome.",
};

const byLanguage: Readonly<Record<string, Phrases>> = {
  en: english,
  de: {
    greeting: "Guten Tag. Was möchten Sie wissen?",
    quote: (name) => `In „${name}“ steht:`,
    noAnswer: "Darauf habe ich keine Antwort.",
    stillThere: "Sind Sie noch da?",
    farewell: "Auf Wiederhören.",
    welcome: "Gern geschehen.",
  },
  fr: {
    greeting: "Bonjour. Que souhaitez-vous savoir ?",
    quote: (name) => `Dans « ${name} », il est écrit :`,
    noAnswer: "Je n'ai pas de réponse à cela.",
    stillThere: "Êtes-vous toujours là ?",
    farewell: "Au revoir.",
    welcome: "Je vous en prie.",
  },
  es: {
    greeting: "Hola. ¿Qué le gustaría saber?",
    quote: (name) => `En «${name}» dice:`,
    noAnswer: "No tengo respuesta a eso.",
    stillThere: "¿Sigue ahí?",
    farewell: "Adiós.",
    welcome: "De nada.",
  },
  ja: {
    greeting: "こんにちは。何をお知りになりたいですか。",
    quote: (name) => `「${name}」にはこう書かれています。`,
    noAnswer: "それについてはお答えできません。",
    stillThere: "まだいらっしゃいますか。",
    farewell: "失礼いたします。",
    welcome: "どういたしまして。",
  },
  zh: {
    greeting: "您好。您想了解什么？",
    quote: (name) => `《${name}》里写道：`,
    noAnswer: "这个问题我没有答案。",
    stillThere: "您还在吗？",
    farewell: "再见。",
    welcome: "不客气。",
  },
  ko: {
    greeting: "안녕하세요. 무엇이 궁금하신가요?",
    quote: (name) => `「${name}」에는 이렇게 적혀 있습니다.`,
    noAnswer: "그 질문에는 답을 가지고 있지 않습니다.",
    stillThere: "아직 계신가요?",
    farewell: "안녕히 계세요.",
    welcome: "천만에요.",
  },
};

/** The sentences in a language (BCP-47 primary subtag); in English for those that have none. */
export function phrasesOf(language: string): Phrases {
  return byLanguage[language] ?? english;
}
