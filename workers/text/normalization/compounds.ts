import { expandWord } from "./abbreviations.js";
import { digitsToWords, labelDigitsToWords } from "./numbers.js";

const signWords: Readonly<Record<string, string>> = {
  "&": "and",
  "@": "at",
  "%": "percent",
  "+": "plus",
  "=": "equals",
  "°": "degrees",
};
const part = /([\p{L}\p{M}]+)|(\d+)|([^\p{L}\p{M}\d])/gu;
const otherNumber = /^\p{N}$/u;
const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Reads any word by its runs of letters and digits: "H2O", "COVID-19", "and/or", "snake_case", "node.js". Signs between
 * letters that belong to spelling stay (apostrophe, hyphen); the rest part words. A lone "A" is tied to its number, or
 * it would sound as the article. Works in one pass on words of any length.
 */
export function readCompound(core: string): string {
  const out: string[] = [];
  let glue = " ";
  for (const match of core.matchAll(part)) {
    const [text, letters, digits, sign] = match;
    const at = match.index;
    if (letters !== undefined || digits !== undefined) {
      if (out.length > 0) out.push(digits !== undefined && glue === " " && out.at(-1) === "A" ? "-" : glue);
      out.push(
        letters !== undefined ? expandWord(letters) : text.length > 4 ? digitsToWords(text) : labelDigitsToWords(text),
      );
      glue = " ";
    } else if (sign !== undefined) {
      const betweenLetters = isLetter(core, at - 1) && isLetter(core, at + sign.length);
      if (betweenLetters && (sign === "'" || sign === "-")) glue = sign;
      else if (sign === "'" && at === 0 && isLetter(core, 1)) {
        out.push(sign);
        glue = "";
      } else if (sign === ".") glue = dotGlue(core, at);
      else if (Object.hasOwn(signWords, sign)) glue = joinWord(out, glue, signWords[sign] ?? "");
      else if (otherNumber.test(sign)) glue = joinWord(out, glue, numberSign(sign));
      else glue = " ";
    }
  }
  return out.join("");
}

function joinWord(out: string[], glue: string, word: string): string {
  if (word !== "") out.push(out.length > 0 ? (glue === "" ? " " : glue) : "", word);
  return " ";
}

function numberSign(sign: string): string {
  const power = superscripts.indexOf(sign);
  const plain = sign.normalize("NFKC");
  return power === 2
    ? "squared"
    : power === 3
      ? "cubed"
      : /^\d+$/.test(plain)
        ? labelDigitsToWords(plain.slice(0, 4))
        : "";
}

/** A dot is spoken inside names ("node.js"), and as a point between digits. */
function dotGlue(core: string, at: number): string {
  const next = core[at + 1] ?? "";
  if (!isLetter(core, at - 1) && /\d/.test(next)) return " point ";
  return isLetter(core, at - 1) && /[\p{L}\d]/u.test(next) ? " dot " : " ";
}

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (Number.isNaN(code)) return false;
  if (code < 0x80) return (code | 32) >= 97 && (code | 32) <= 122;
  return (code >= 0xd800 && code <= 0xdfff) || /[\p{L}\p{M}]/u.test(text[at] ?? "");
}
