/** Words by which the end of a turn is judged, in lower case. */
export interface TurnWords {
  /** Nobody ends a sentence with them, whatever punctuation a recognizer puts behind. */
  never: ReadonlySet<string>;
  /** Seldom the last word; with a full stop or a question mark behind it, it is. */
  seldom: ReadonlySet<string>;
  /** Digits as words. */
  digits: ReadonlySet<string>;
  /** What digits that follow belong to. */
  numbers: ReadonlySet<string>;
  /** Whole answers, words joined by one space. */
  answers: ReadonlySet<string>;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const phrases = (text: string): ReadonlySet<string> => new Set(text.split(", "));

const none: ReadonlySet<string> = new Set();

const table: Readonly<Partial<Record<string, TurnWords>>> = {
  en: {
    never: set(
      "and or but because if although while unless whether than so the a an my your his her their our i'm i'd i'll we're is are was were am um uh er erm hmm hm maybe",
    ),
    seldom: set(
      "to of for with from at in on by about into onto between during without under over after before until since as that which who whose when where how what can could would should will do does did",
    ),
    digits: set("zero oh one two three four five six seven eight nine double triple"),
    numbers: set("number phone code zip postcode account card pin digits id reference order"),
    answers: phrases(
      "yes, yeah, yep, yes please, yes thanks, no, nope, no thanks, no thank you, no that's all, that's all, that's it, nothing else, ok, okay, sure, of course, exactly, correct, that's right, that's correct, right, thanks, thank you, thank you very much, bye, goodbye, hello, hi, stop, never mind, not really, i don't know",
    ),
  },
  de: {
    never: set(
      "und oder aber weil wenn dass obwohl denn sondern der die das den dem des ein eine einen einem einer mein meine meinen dein ihre ihren äh ähm öh hm also halt ich",
    ),
    seldom: set(
      "in im an am auf aus bei beim von vom zu zum zur mit nach für über unter vor zwischen durch gegen ohne um bis seit ist sind war kann könnte würde wie was wer wo wann",
    ),
    digits: set("null eins ein zwei zwo drei vier fünf sechs sieben acht neun"),
    numbers: set(
      "nummer telefonnummer postleitzahl kundennummer kontonummer bestellnummer code pin handynummer vorwahl",
    ),
    answers: phrases(
      "ja, ja bitte, ja gerne, ja danke, jawohl, nein, nein danke, nee, das war's, das war alles, das ist alles, nichts weiter, okay, ok, klar, genau, richtig, stimmt, danke, danke schön, vielen dank, tschüss, auf wiederhören, hallo, stopp, weiß ich nicht",
    ),
  },
  fr: {
    never: set(
      "et ou mais parce que qu car donc si puisque quoique le la les un une des du mon ma mes ton ta tes son sa ses notre votre leur euh heu hum ben bah alors je j",
    ),
    seldom: set(
      "à au aux de d en dans par pour sur sous avec sans chez vers entre depuis avant après est sont était suis peux peut voudrais comme qui où quand comment",
    ),
    digits: set("zéro un deux trois quatre cinq six sept huit neuf"),
    numbers: set("numéro téléphone code compte carte postal commande référence"),
    answers: phrases(
      "oui, oui merci, oui s'il vous plaît, ouais, non, non merci, c'est tout, rien d'autre, d'accord, ok, okay, bien sûr, exactement, c'est ça, voilà, merci, merci beaucoup, au revoir, bonjour, stop, je ne sais pas",
    ),
  },
  es: {
    never: set(
      "y e o u pero porque si aunque que el la los las un una unos unas mi mis tu tus su sus eh este em pues yo",
    ),
    seldom: set(
      "a al de del en con por para sin sobre entre desde hasta hacia según es son era está puedo puede quiero quisiera como cuando donde quien cómo cuándo dónde quién",
    ),
    digits: set("cero uno dos tres cuatro cinco seis siete ocho nueve"),
    numbers: set("número teléfono código cuenta tarjeta postal pedido referencia móvil"),
    answers: phrases(
      "sí, si, sí por favor, sí gracias, claro, claro que sí, no, no gracias, eso es todo, nada más, vale, de acuerdo, ok, okay, exacto, correcto, gracias, muchas gracias, adiós, hola, para, no sé",
    ),
  },
};

const neutral: TurnWords = { never: none, seldom: none, digits: none, numbers: none, answers: none };

/** The words of a language (BCP-47 primary subtag); none where a language has no table. */
export const turnWordsOf = (language: string): TurnWords => table[language] ?? neutral;
