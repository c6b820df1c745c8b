/** Longest sentence that is said, in UTF-16 units; longer ones are lists and tables that lost their shape. */
const MAX_SENTENCE_CHARACTERS = 400;

/**
 * The sentences of a passage of Markdown or plain text in their order, without the marks of Markdown. Pure.
 */
export function sentencesOf(content: string, language: string): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  return paragraphsOf(content)
    .flatMap((paragraph) => [...segmenter.segment(paragraph)].map(({ segment }) => segment.trim()))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence) && sentence.length <= MAX_SENTENCE_CHARACTERS);
}

/** Lines that belong together: a heading, an item of a list and a row of a table stand for themselves. */
function paragraphsOf(content: string): string[] {
  const paragraphs: string[] = [];
  let isOpen = false;
  for (const line of content.split("\n")) {
    const trimmed = line.trim();
    const marked = /^(?:#{1,6}|[-*+>|]|\d{1,3}[.)])(?=\s|\|)/.exec(trimmed);
    const text = plain(marked === null ? trimmed : trimmed.slice(marked[0].length)).trim();
    if (text !== "" && isOpen && marked === null) paragraphs.push(`${paragraphs.pop() ?? ""} ${text}`);
    else if (text !== "") paragraphs.push(text);
    // The text of an item may go on in the next line, that of a heading does not.
    isOpen = text !== "" && !trimmed.startsWith("#") && !trimmed.startsWith("|");
  }
  return paragraphs;
}

function plain(text: string): string {
  return text
    .replace(/!?\[([^[\]]{0,300})\]\([^()\s]{0,2000}\)/g, "$1")
    .replace(/[*`|]+|__/g, " ")
    .replace(/\s+/g, " ");
}
