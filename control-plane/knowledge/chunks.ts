import { withoutTrailing } from "#common/text/trim";

/** A passage of a source, small enough to be read out of context and large enough to make sense. */
export interface Chunk {
  /** Titles of the sections around it, outermost first, joined by ` › `. */
  heading: string;
  content: string;
}

/** Longest passage, in UTF-16 units: about 200 English words. */
export const MAX_CHUNK_LENGTH = 1200;
/** A passage that has this much is closed at the next paragraph. */
const GOOD_CHUNK_LENGTH = 700;
/** Most passages that sections of their own may make; a text of nothing but titles is cut by length instead. */
const MAX_SECTION_CHUNKS = 8000;
const MAX_TITLE_LENGTH = 200;

/**
 * Cuts Markdown or plain text into passages. Sections are never mixed; paragraphs stay whole where they fit, else they
 * are cut between sentences, and a sentence only where it alone is too long. Together the passages hold every line but
 * the headings.
 */
export function cutIntoChunks(text: string): Chunk[] {
  const bySection = cutSections(sectionsOf(text));
  return bySection.length <= MAX_SECTION_CHUNKS
    ? bySection
    : cutSections([{ heading: "", paragraphs: text.split(/\n\s*\n/) }]);
}

function cutSections(sections: readonly Section[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (const { heading, paragraphs } of sections) {
    let content = "";
    const close = (): void => {
      if (content !== "") chunks.push({ heading, content });
      content = "";
    };
    for (const piece of paragraphs.flatMap(cutParagraph)) {
      if (
        content !== "" &&
        (content.length >= GOOD_CHUNK_LENGTH || content.length + piece.length + 2 > MAX_CHUNK_LENGTH)
      )
        close();
      content = content === "" ? piece : `${content}\n\n${piece}`;
    }
    close();
  }
  return chunks;
}

interface Section {
  heading: string;
  paragraphs: string[];
}

function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  const titles: string[] = [];
  let section: Section = { heading: "", paragraphs: [] };
  let lines: string[] = [];
  let fence: string | null = null;
  const endParagraph = (): void => {
    const paragraph = lines.join("\n").trim();
    if (paragraph !== "") section.paragraphs.push(paragraph);
    lines = [];
  };
  const endSection = (): void => {
    endParagraph();
    // A title with nothing below it is still something that was written.
    if (section.paragraphs.length === 0 && section.heading !== "") section.paragraphs.push(titles.at(-1) ?? "");
    if (section.paragraphs.length > 0) sections.push(section);
  };
  for (const line of text.split("\n")) {
    const [, marker] = /^ {0,3}(```+|~~~+)/.exec(line) ?? [];
    if (marker !== undefined && (fence === null || marker.startsWith(fence))) fence = fence === null ? marker : null;
    const title = fence === null ? titleOf(line) : null;
    if (title !== null) {
      endSection();
      titles.length = Math.min(titles.length, title.level - 1);
      titles.push(title.text.slice(0, MAX_TITLE_LENGTH).replace(/\p{Surrogate}$/u, ""));
      section = { heading: titles.join(" › "), paragraphs: [] };
    } else if (line.trim() === "" && fence === null) endParagraph();
    else lines.push(line);
  }
  endSection();
  return sections;
}

/** The title that a line is (CommonMark 0.31.2, section 4.2), null for any other line and for a title without words. */
function titleOf(line: string): { level: number; text: string } | null {
  const [marks] = /^ {0,3}#{1,6}(?=\s)/.exec(line) ?? [];
  if (marks === undefined) return null;
  const text = withoutClosingMarks(line.slice(marks.length).trim());
  return text === "" ? null : { level: marks.trimStart().length, text };
}

/** Hashes at the end are no part of a title where a space stands before them: "Shop ##" is "Shop", "C#" is "C#". */
function withoutClosingMarks(text: string): string {
  const before = withoutTrailing(text, "#");
  return before !== "" && before === before.trimEnd() ? text : before.trimEnd();
}

function cutParagraph(paragraph: string): string[] {
  if (paragraph.length <= MAX_CHUNK_LENGTH) return [paragraph];
  const pieces: string[] = [];
  let piece = "";
  // Sentences end in punctuation and space, or in that of Chinese and Japanese; lines of lists and tables end in a line
  // feed.
  for (const sentence of paragraph.split(/(?<=[.!?…]["')\]]?\s)|(?<=[。！？])|(?<=\n)/)) {
    if (piece !== "" && piece.length + sentence.length > MAX_CHUNK_LENGTH) {
      pieces.push(piece.trim());
      piece = "";
    }
    piece += sentence;
    while (piece.length > MAX_CHUNK_LENGTH) {
      const cut = lastSpace(piece);
      pieces.push(piece.slice(0, cut).trim());
      piece = piece.slice(cut);
    }
  }
  pieces.push(piece.trim());
  return pieces.filter((text) => text !== "");
}

/** Where to cut a text that has to be cut: after its last space, or between characters where it has none. */
function lastSpace(text: string): number {
  const space = text.lastIndexOf(" ", MAX_CHUNK_LENGTH - 1);
  if (space > MAX_CHUNK_LENGTH / 2) return space + 1;
  const code = text.charCodeAt(MAX_CHUNK_LENGTH - 1);
  return code >= 0xd800 && code <= 0xdbff ? MAX_CHUNK_LENGTH - 1 : MAX_CHUNK_LENGTH;
}
