/** A piece of a template: text that stands for itself, or the name between `{{` and `}}` with all that stands there. */
export type TemplatePart = { kind: "text"; text: string } | { kind: "placeholder"; name: string; text: string };

const placeholder = /\{\{([^{}]*)\}\}/g;

/** Splits a template. Braces that pair up in no other way than `{{…}}` are text: JSON is full of them. */
export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const found of template.matchAll(placeholder)) {
    if (found.index > end) parts.push({ kind: "text", text: template.slice(end, found.index) });
    parts.push({ kind: "placeholder", name: (found[1] ?? "").trim(), text: found[0] });
    end = found.index + found[0].length;
  }
  if (end < template.length) parts.push({ kind: "text", text: template.slice(end) });
  return parts;
}

/** Names that a template asks for, each once. */
export function placeholderNames(template: string): string[] {
  return [...new Set(parseTemplate(template).flatMap((part) => (part.kind === "placeholder" ? [part.name] : [])))];
}

/** What a placeholder can stand for. Absent is undefined. */
export type TemplateValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** Gives a value for a name. */
export type Lookup = (name: string) => TemplateValue;

/** A value as plain text: nothing for null and absent, JSON for lists and objects. */
export function asText(value: TemplateValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return wellFormed(JSON.stringify(value));
  return wellFormed(String(value));
}

/** No encoding can carry half a surrogate pair; it becomes U+FFFD, as in every UTF-8 encoder. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Fills a template, each value put through `encode`. */
export function fill(template: string, lookup: Lookup, encode: (text: string) => string): string {
  return parseTemplate(template)
    .map((part) => (part.kind === "text" ? part.text : encode(asText(lookup(part.name)))))
    .join("");
}
