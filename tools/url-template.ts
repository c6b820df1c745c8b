import { asText, type Lookup, parseTemplate } from "./template.js";

/**
 * Whether every placeholder of a URL is in its path, query or fragment. Scheme, host, port and user name decide who is
 * called: no value may have a say in them.
 */
export function placesNoAuthority(url: string): boolean {
  const [authority] = /^https?:\/\/[^/?#\\]*/i.exec(url) ?? [];
  if (authority === undefined || authority.includes("{{") || authority.includes("}}")) return false;
  // The URL parser skips slashes, backslashes and control characters before a host (`https:///{{x}}.com`): only it
  // knows where the host is.
  return authorityOf(filledWith(url, "x")) === authorityOf(filledWith(url, "y"));
}

/** The URL with something harmless in every place, to be judged as a URL. */
export function sampleUrl(url: string): string {
  return filledWith(url, "x");
}

/** Scheme, host and port of a URL that may have placeholders; null for what is no URL. */
export function originOf(url: string): string | null {
  const sample = sampleUrl(url);
  return URL.canParse(sample) ? new URL(sample).origin : null;
}

function filledWith(url: string, value: string): string {
  return parseTemplate(url)
    .map((part) => (part.kind === "text" ? part.text : value))
    .join("");
}

function authorityOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, username, password } = new URL(url);
  return JSON.stringify([origin, username, password]);
}

/** The URL as it was saved, braces and all, in a form that can be sent. */
export function literalUrl(url: string): string {
  return url.replaceAll(" ", "%20").replaceAll("{", "%7B").replaceAll("}", "%7D");
}

/**
 * A path segment that the URL parser takes for "here" or "up", however it is spelled (WHATWG URL, "double-dot path
 * segment").
 */
const dotSegment = /^(\.|%2e){1,2}$/i;

/**
 * Fills a URL; every value is percent-encoded, so that it stays within its segment or query value.
 * Gives null when a value makes a path segment `.` or `..`: no encoding keeps the parser from leaving the path then.
 */
export function fillUrl(url: string, lookup: Lookup): string | null {
  let filled = "";
  let segment = "";
  let isFilled = false;
  let inPath = true;
  const closeSegment = (): boolean => !(isFilled && dotSegment.test(segment));
  for (const part of parseTemplate(url)) {
    if (part.kind === "placeholder") {
      const value = encodeURIComponent(asText(lookup(part.name)));
      filled += value;
      segment += value;
      isFilled = true;
      continue;
    }
    filled += part.text;
    if (!inPath) continue;
    const [path = "", ...rest] = part.text.split(/[?#]/);
    const segments = path.split(/[/\\]/);
    for (const [index, text] of segments.entries()) {
      if (index > 0) {
        if (!closeSegment()) return null;
        segment = "";
        isFilled = false;
      }
      segment += text;
    }
    if (rest.length > 0) {
      if (!closeSegment()) return null;
      inPath = false;
    }
  }
  return inPath && !closeSegment() ? null : filled;
}
