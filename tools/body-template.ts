import { asText, fill, type Lookup, parseTemplate } from "./template.js";

/** How values are written into a body of this media type, so that none can end the value that it stands in. */
export function fillBody(template: string, contentType: string, lookup: Lookup): string {
  const mediaType = mediaTypeOf(contentType);
  if (isJson(contentType)) return fillJson(template, lookup);
  if (mediaType === "application/x-www-form-urlencoded") return fill(template, lookup, encodeURIComponent);
  if (/^(text|application)\/(xml|html)$/.test(mediaType) || mediaType.endsWith("+xml"))
    return fill(template, lookup, escapeMarkup);
  return fill(template, lookup, (text) => text);
}

/**
 * Inside of a JSON string a value is text, escaped; anywhere else it is a JSON value of its own type, and null where
 * there is none. A template that is no JSON is filled by the same rule.
 */
function fillJson(template: string, lookup: Lookup): string {
  let filled = "";
  let inString = false;
  for (const part of parseTemplate(template)) {
    if (part.kind === "text") {
      inString = endsInString(part.text, inString);
      filled += part.text;
    } else if (inString) {
      filled += JSON.stringify(asText(lookup(part.name))).slice(1, -1);
    } else {
      filled += JSON.stringify(lookup(part.name) ?? null);
    }
  }
  return filled;
}

function endsInString(text: string, startsInString: boolean): boolean {
  let inString = startsInString;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '"') inString = !inString;
    else if (text[index] === "\\" && inString) index++;
  }
  return inString;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/**
 * Names that a JSON body asks for outside of a string, where a value keeps its own type: a number stays a number there.
 * None in bodies of other media types, where every value is text.
 */
export function typedPlaceholders(template: string, contentType: string): Set<string> {
  const typed = new Set<string>();
  if (!isJson(contentType)) return typed;
  let inString = false;
  for (const part of parseTemplate(template)) {
    if (part.kind === "text") inString = endsInString(part.text, inString);
    else if (!inString) typed.add(part.name);
  }
  return typed;
}

function isJson(contentType: string): boolean {
  const mediaType = mediaTypeOf(contentType);
  return mediaType === "application/json" || mediaType.endsWith("+json");
}

function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}
