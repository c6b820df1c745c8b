/** Where a text may be cut: what the characters around a place say about it. Pure functions of short strings. */

/** Ends a sentence where it stands; no space follows in these scripts. */
const wideSentenceMarks = new Set("。！？｡︒");
const wideClauseMarks = new Set("，、；：､︑");
/** End a sentence when a space follows. */
const narrowSentenceMarks = new Set(".!?…।॥۔؟‽");
const narrowClauseMarks = new Set(",;:،؛—–");
const closers = new Set("\"'”’»)]}」』）】》〉");

export const isWideSentenceMark = (character: string): boolean => wideSentenceMarks.has(character);
export const isWideClauseMark = (character: string): boolean => wideClauseMarks.has(character);
export const isNarrowSentenceMark = (character: string): boolean => narrowSentenceMarks.has(character);
export const isNarrowClauseMark = (character: string): boolean => narrowClauseMarks.has(character);
export const isCloser = (character: string): boolean => closers.has(character);

/** Whitespace that may separate words; a no-break space does not. */
export function isSpace(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code < 0x80) return code === 32 || (code >= 9 && code <= 13);
  return code !== 0xa0 && code !== 0x202f && (code === 0x200b || /^\s$/.test(character));
}

const speakable = /[\p{L}\p{N}\p{Sc}%&@+=°]/u;

/** Whether an engine has anything to say for this text: letters, digits, or signs that are read out. */
export const isSpeakable = (text: string): boolean => speakable.test(text);

/** Scripts written without spaces: any two characters may be parted when there is no better place. */
export function isUnspacedScript(character: string): boolean {
  return character.charCodeAt(0) >= 0x0e00 && unspaced.test(character);
}
const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

export const isHighSurrogate = (character: string): boolean => character >= "\ud800" && character <= "\udbff";
export const isLowSurrogate = (character: string): boolean => character >= "\udc00" && character <= "\udfff";

const extending = /^[\p{Grapheme_Extend}\p{M}\p{Emoji_Modifier}\u0e33\u0eb3\u200d]$/u;

/**
 * Whether a code point is part of the character before it, as marks and joiners are (UAX #29, GB9 and GB9a). Takes
 * second halves of pairs for such.
 */
export function isExtending(codePoint: string): boolean {
  return codePoint.charCodeAt(0) >= 0x300 && (isLowSurrogate(codePoint) || extending.test(codePoint));
}

const clusters = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * Where the character as people see it (UAX #29, grapheme cluster) begins to which the unit at `at` belongs: between
 * flags, families of emoji and syllables, not inside them. Its cost grows with the text: for short ones, seldom. An
 * index outside of the text is given back.
 */
export function clusterStart(text: string, at: number): number {
  return clusters.segment(text).containing(at)?.index ?? at;
}

/** Always followed by what they introduce: their full stop never ends a sentence. */
const introducing = new Set(
  (
    "mr mrs ms mx dr prof st mt ft gen col maj capt lt cmdr sgt rev hon pres gov sen rep amb fr sr jr vs no nos fig figs vol pp " +
    "ed eds op ch sec eq ref refs approx dept est tel ext e.g i.e cf al viz ca bzw z.b d.h usw bspw nr str hr fr dra sra srta sig mme mlle"
  ).split(" "),
);

/** May stand at the end of a sentence; what follows decides. */
const ambiguous = new Set(
  (
    "etc inc ltd co corp bros a.m p.m u.s u.k u.n e.u ph.d m.d b.a m.a d.c ave blvd rd " +
    "jan feb apr jun jul aug sep sept oct nov dec mon tue wed thu fri"
  ).split(" "),
);

/** How sure a sentence end is: certain once a space follows; only if a capital comes next; not an end. */
export type EndCertainty = "certain" | "if-capital" | "no";

/**
 * Judges a run of sentence marks in a space-separated script. `word` stands directly before the marks, `marks` the run
 * with its closing quotes, `opensText` whether the word is the first of its sentence.
 */
export function judgeEnd(word: string, marks: string, opensText: boolean): EndCertainty {
  const stripped = [...marks].filter((character) => !isCloser(character)).join("");
  const quoted = stripped.length < marks.length;
  if (stripped !== ".") {
    const ellipsis = /^(\.{2,}|…+)$/.test(stripped);
    return ellipsis || quoted ? "if-capital" : "certain";
  }
  const name = word.toLowerCase().replace(/^[^\p{L}\p{N}]+/u, "");
  if (introducing.has(name)) return "no";
  // "1. First" is a list mark; an initial ("J. Doe") is followed by a name.
  if (opensText && /^(\d{1,3}|\p{L})$/u.test(name)) return "no";
  if (/^\p{Lu}$/u.test(word) && word !== "I") return "no";
  if (ambiguous.has(name) || /^(\p{L}\.)+\p{L}$/u.test(word)) return "if-capital";
  return "certain";
}

/** Whether a character can open a sentence after an uncertain end. */
export const opensSentence = (character: string): boolean =>
  /^[\p{Lu}\p{Lt}\p{Lo}"“«¿¡「『\ud800-\udbff]$/u.test(character);

const conjunctions = new Set(
  (
    "and or but nor so yet because although though while whereas since unless until when where which who that if as than then before after " +
    "with without und oder aber weil dass denn wenn et ou mais donc car que qui y o pero porque e ma perché"
  ).split(" "),
);

/** Whether a clause may be parted before this word. */
export const isConjunction = (word: string): boolean => conjunctions.has(word.toLowerCase());
