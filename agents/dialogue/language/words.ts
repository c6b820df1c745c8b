/** The words of a text, in lower case, without punctuation; an apostrophe belongs to its word. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}'+]+/gu) ?? []
  );
}

/** Where the word begins that holds the character at `index`; `index` itself between two words and at the end. */
export function wordStart(text: string, index: number, language: string): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const segment = segmenterOf(language).segment(text).containing(index);
  return segment?.isWordLike === true ? segment.index : index;
}

/** The longest cut of a text that has at most `characters` UTF-16 units and splits no character in two. */
export function cut(text: string, characters: number): string {
  const end = Math.max(0, Math.min(text.length, Math.floor(characters)));
  const code = text.charCodeAt(end - 1);
  const isSplit = end > 0 && end < text.length && code >= 0xd800 && code < 0xdc00;
  return text.slice(0, isSplit ? end - 1 : end);
}

/** `addition` with the space before it that it needs behind `text`. */
export function joined(text: string, addition: string): string {
  if (text === "" || addition === "" || /\s/.test(text.at(-1) ?? "") || /^\s/.test(addition)) return addition;
  return writesWithoutSpaces.test(text.at(-1) ?? "") ? addition : ` ${addition}`;
}

/** Whether the last sentence that ends in a text is a question, and nothing much was said behind it. */
export function endsInQuestion(text: string): boolean {
  const end = Math.max(...[...sentenceEnds].map((mark) => text.lastIndexOf(mark)));
  return end >= 0 && "?？".includes(text[end] ?? "") && text.length - end <= MAX_AFTER_QUESTION;
}

/** Where the last sentence that is whole ends in a text, with the marks that close it; 0 where none is. */
export function endOfSentences(text: string): number {
  const last = [...text.matchAll(wholeSentence)].at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

/** A mark at the end of what there is counts: nobody knows whether more follows. */
const wholeSentence = /[.!?…]["'”’»)\]]*(?=\s|$)|[。！？]|\n/g;

/** Characters of a next sentence during which a "yes" still answers the question before it. */
const MAX_AFTER_QUESTION = 40;

const sentenceEnds = ".!?。！？";
const writesWithoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}。、！？]/u;

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(language: string): Intl.Segmenter {
  let segmenter = segmenters.get(language);
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter(language, { granularity: "word" });
    segmenters.set(language, segmenter);
  }
  return segmenter;
}
