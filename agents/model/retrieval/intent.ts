import { foldText } from "#common/text/terms";

/** What a caller's words are for, as far as a fixed answer goes. */
export type Intent = "goodbye" | "thanks" | "greeting" | "question";

/** Longer ones say more than goodbye. */
const MAX_WORDS = 8;
const MAX_DENSE_CHARACTERS = 16;

/** Folded (`foldText`), in all languages that agents speak. */
const goodbyes = [
  "goodbye|good bye|bye|bye bye|see you|see you later|talk to you later|that s all|that is all|that will be all|that was all|hang up|have a nice day|have a good day",
  "tschuss|tschus|ciao|auf wiederhoren|auf wiedersehen|das war alles|das ware alles|das war s|schonen tag noch",
  "au revoir|a bientot|c est tout|bonne journee|adieu",
  "adios|hasta luego|hasta pronto|eso es todo|nada mas|chao",
]
  .join("|")
  .split("|");
const greetings =
  "hello|hi|hey|good morning|good evening|good afternoon|hallo|guten tag|guten morgen|guten abend|bonjour|bonsoir|salut|hola|buenos dias|buenas tardes".split(
    "|",
  );
const thanks = "thank you|thanks|danke|vielen dank|danke schon|merci|merci beaucoup|gracias|muchas gracias".split("|");

const denseGoodbye = /再见|拜拜|挂了|さようなら|失礼します|バイバイ|안녕히|끊을게|끊겠습니다/u;
const denseGreeting = /^(你好|您好|こんにちは|もしもし|안녕하세요|여보세요)/u;
const denseThanks = /谢谢|ありがとう|감사합니다|고마워/u;
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Says what the words are for. Questions are never taken for anything else. Pure. */
export function intentOf(text: string): Intent {
  if (/[?？]/.test(text)) return "question";
  const folded = foldText(text);
  if (dense.test(folded)) return denseIntent(folded);
  const words = folded.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0 || words.length > MAX_WORDS) return "question";
  const spoken = ` ${words.join(" ")} `;
  const has = (phrases: readonly string[]): boolean => phrases.some((phrase) => spoken.includes(` ${phrase} `));
  if (has(goodbyes)) return "goodbye";
  if (has(thanks) && words.length <= 5) return "thanks";
  return has(greetings) && words.length <= 3 ? "greeting" : "question";
}

function denseIntent(folded: string): Intent {
  const text = folded.replace(/[\p{P}\s]/gu, "");
  if (text.length > MAX_DENSE_CHARACTERS) return "question";
  if (denseGoodbye.test(text)) return "goodbye";
  if (denseThanks.test(text)) return "thanks";
  return denseGreeting.test(text) && text.length <= 7 ? "greeting" : "question";
}
