/** What callers say while they listen, in lower case, words joined by one space. */
export interface BackchannelWords {
  /** Mean "go on"; after a question they are answers. */
  assents: ReadonlySet<string>;
  /** Mean nothing, whatever came before them. */
  hesitations: ReadonlySet<string>;
  /** Interrupt in any case. */
  stops: ReadonlySet<string>;
}

const phrases = (text: string): ReadonlySet<string> => new Set(text.split(", "));

/** Sounds that are alike in many languages. */
const hesitations = "hm, hmm, mm, um, uh, er, erm, eh, ah, oh, ähm, äh, euh, heu, em";
const everywhere = "mhm, mmhm, mm hmm, mm hm, aha, uh huh, ok, okay, m hm, mmm";

const english = {
  assents: phrases(
    `${everywhere}, yes, yeah, yep, yup, right, all right, alright, i see, sure, got it, great, good, fine, cool, nice, wow, really, of course, exactly, true, i know, i understand, understood, go on, go ahead, oh okay, oh i see, that's right, makes sense, interesting, thanks, thank you`,
  ),
  hesitations: phrases(hesitations),
  stops: phrases("stop, wait, no, hold on, hang on, one moment, shut up, excuse me, nope, never mind, quiet"),
};

const table: Readonly<Partial<Record<string, BackchannelWords>>> = {
  en: english,
  de: {
    assents: phrases(
      `${everywhere}, ja, jaja, ja ja, genau, richtig, stimmt, verstehe, ich verstehe, ach so, achso, klar, alles klar, gut, sehr gut, gern, gerne, schön, super, natürlich, aha okay, weiter, danke`,
    ),
    hesitations: phrases(hesitations),
    stops: phrases("stopp, stop, halt, warte, warten sie, moment, nein, nee, entschuldigung, ruhe"),
  },
  fr: {
    assents: phrases(
      `${everywhere}, oui, ouais, d'accord, bien sûr, je vois, je comprends, voilà, c'est ça, exactement, très bien, bien, super, ah bon, ah oui, merci`,
    ),
    hesitations: phrases(`${hesitations}, ben, bah`),
    stops: phrases("stop, arrêtez, attendez, attends, non, pardon, excusez moi, un instant, une seconde"),
  },
  es: {
    assents: phrases(
      `${everywhere}, sí, si, vale, claro, ya, ya veo, entiendo, de acuerdo, exacto, bien, muy bien, bueno, perfecto, genial, ajá, gracias`,
    ),
    hesitations: phrases(`${hesitations}, este`),
    stops: phrases("para, pare, alto, espera, espere, no, perdón, perdone, un momento, disculpe, stop"),
  },
  ja: {
    assents: phrases(
      "うん, うんうん, はい, はいはい, ええ, そう, そうですね, そうですか, なるほど, へえ, わかりました",
    ),
    hesitations: phrases("えっと, あの, あのう, うーん, んー, あー, えー"),
    stops: phrases(
      "ストップ, 待って, 待ってください, ちょっと待って, ちょっと待ってください, いいえ, 違います, すみません",
    ),
  },
  zh: {
    assents: phrases("嗯, 嗯嗯, 对, 对对, 对对对, 是, 是的, 好, 好的, 行, 明白, 明白了, 知道了, 哦, 噢"),
    hesitations: phrases("呃, 啊, 额, 那个"),
    stops: phrases("停, 等等, 等一下, 不, 不是, 不对, 打断一下"),
  },
  ko: {
    assents: phrases("네, 네네, 예, 응, 음, 그래요, 그렇군요, 아 네, 알겠습니다, 맞아요"),
    hesitations: phrases("어, 음, 저, 그"),
    stops: phrases("잠깐, 잠깐만, 잠깐만요, 잠시만요, 아니, 아니요, 그만, 멈춰"),
  },
};

/** The words of a language (BCP-47 primary subtag); English where a language has no table. */
export const backchannelWordsOf = (language: string): BackchannelWords => table[language] ?? english;
