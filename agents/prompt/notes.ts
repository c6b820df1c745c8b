/*
 * What the service itself says to the model among the messages stands in double square brackets. Nobody else's words
 * can contain those: a caller who says or types them is quoted with single ones.
 */

/** A note of the service to the model. */
export function note(text: string): string {
  return `[[${text}]]`;
}

/** Words of callers, tools and knowledge, without anything that could pass for a note. */
export function withoutNotes(text: string): string {
  return text.replace(/\[{2,}/g, "[").replace(/\]{2,}/g, "]");
}
