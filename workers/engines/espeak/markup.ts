/** A text escaped for espeak-ng, which reads markup in every text, with the way back from its positions. */
export interface EscapedText {
  text: string;
  /** For each code point of the escaped text: its offset in the plain text, UTF-16; one more entry for the end. */
  offsets: number[];
}

const entities: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

export function escapeMarkup(plain: string): EscapedText {
  let text = "";
  const offsets: number[] = [];
  let offset = 0;
  for (const character of plain) {
    const entity = entities[character] ?? character;
    text += entity;
    for (const _ of entity) offsets.push(offset);
    offset += character.length;
  }
  offsets.push(offset);
  return { text, offsets };
}
