/** What of a knowledge source people enter. */
export interface SourceValues {
  name: string;
  description: string;
  content: string;
}

/** The form that makes a stored source what was entered; a text that stays is not sent, for it would be a revision. */
export function sourceForm(stored: SourceValues, entered: SourceValues): FormData {
  const form = new FormData();
  for (const field of ["name", "description"] as const)
    if (entered[field] !== stored[field]) form.append(field, entered[field]);
  if (entered.content !== stored.content)
    form.append("source", new Blob([entered.content], { type: "text/markdown" }), fileNameOf(entered.name));
  return form;
}

/** A name that the server takes for Markdown: texts without a heading are read as before. */
export function fileNameOf(name: string): string {
  return /\.(md|txt)$/i.test(name) ? name : `${name}.md`;
}

/** Whether a file was read as text: a replacement character or NUL says that it was none. */
export function isText(text: string): boolean {
  return !text.includes("\uFFFD") && !text.includes("\u0000");
}
