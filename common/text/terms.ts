import { stem } from "./stem.js";

/** Longest term that is kept; longer "words" are data, not language. */
const MAX_TERM_LENGTH = 48;

/** Scripts that write no spaces between words, and Korean, whose words carry their particles with them. */
const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}ー々]+/gu;

/**
 * Words that say nothing about what a text is about: of English, Spanish, French and German, in the form that
 * `foldText` gives. Of words that mean something in one of these languages none is here.
 */
const stopWords = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its me my no not of on or " +
    "our she should so some such than that the their them then there these they this to too was we were what when where which who whom why will " +
    "with would you your us about am any just only over under up out also may might much many get got let " +
    "el la los las un una unos unas de del al y o que en es por con para se su sus lo como mas pero si le les hay cual cuales donde cuando quien " +
    "le la les des du et ou est dans pour par sur avec qui ne pas ce cette ces il elle nous vous ils sont au aux je mon ma mes quel quelle " +
    "der die das den dem ein eine einen einem einer und oder ist im mit zu zum zur von auf fur nicht es sie wir ihr ich wie wo wann kann bei"
  ).split(" "),
);

/** Text as terms compare it: compatibility forms, lower case, without accents. */
export function foldText(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, "")
    .replaceAll("ß", "ss")
    .normalize("NFC");
}

/**
 * The terms of a text in their order, repetitions included: stems of words, numbers, and pairs of neighbouring
 * characters of scripts that write no spaces. Apostrophes end a word ("don't" is "don" and "t"), and single Latin
 * letters are no terms.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  if (/^[\x00-\x7f]*$/.test(text)) {
    // Nothing to fold but case: the same result in less time.
    for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) addWord(word, terms);
    return terms;
  }
  const folded = foldText(text);
  for (const [word] of folded.matchAll(/[\p{L}\p{N}\p{M}ー々]+/gu)) {
    let end = 0;
    for (const run of word.matchAll(dense)) {
      addWord(word.slice(end, run.index), terms);
      addPairs(run[0], terms);
      end = run.index + run[0].length;
    }
    addWord(word.slice(end), terms);
  }
  return terms;
}

function addWord(word: string, terms: string[]): void {
  if (word === "" || word.length > MAX_TERM_LENGTH || stopWords.has(word)) return;
  if (word.length === 1 && !/\d/.test(word)) return;
  terms.push(stem(word));
}

function addPairs(run: string, terms: string[]): void {
  const characters = [...run];
  if (characters.length === 1) terms.push(run);
  for (let index = 0; index + 1 < characters.length; index++)
    terms.push(`${characters[index]}${characters[index + 1]}`);
}
