import { type Classifier, single } from "./match.js";
import { digitsToWords, labelDigitsToWords } from "./numbers.js";

const scheme = /^[a-z][a-z0-9+.-]{0,20}:\/\//i;
const email = /^(?:mailto:)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/i;
const topLevels =
  "com|org|net|edu|gov|mil|int|io|dev|ai|app|info|biz|me|tv|co|eu|uk|de|fr|es|it|nl|pl|se|ch|at|be|ca|au|jp|" +
  "cn|kr|in|br|us|ru|nz|ie|xyz|tech|site|online|cloud|shop|blog|fm|ly|gg";
const domain = new RegExp(`^[a-z0-9-]+(?:\\.[a-z0-9-]+)*\\.(?:${topLevels})(?::\\d+)?(?:[/?#].*)?$`, "i");
const dottedQuad = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?::(\d{1,5}))?(\/.*)?$/;
const path = /^(?:~|\.{1,2})?(?:\/[\w.-]+)+$/;
const handle = /^@(\w{1,64})$/;
const hashtag = /^#([\p{L}\p{N}_]{1,100})$/u;

const signNames: Readonly<Record<string, string>> = {
  ".": "dot",
  "/": "slash",
  "@": "at",
  "-": "dash",
  _: "underscore",
  ":": "colon",
  "?": "question mark",
  "=": "equals",
  "&": "and",
  "#": "hash",
  "%": "percent",
  "+": "plus",
  "~": "tilde",
  "*": "star",
};

/** Every word and sign of an address: "example.com/docs" gives "example dot com slash docs". */
function spellAddress(address: string): string {
  const words: string[] = [];
  for (const part of address.matchAll(/^W-W-W|\p{L}[\p{L}\p{M}]*|\d+|[^\p{L}\p{N}]/gu)) {
    const text = part[0];
    if (/^\d/.test(text)) words.push(labelDigitsToWords(text));
    else words.push(Object.hasOwn(signNames, text) ? (signNames[text] ?? "") : /^\p{L}/u.test(text) ? text : "");
  }
  return words.filter((word) => word !== "").join(" ");
}

/**
 * Web addresses, e-mail addresses, IP addresses and file paths, read sign by sign; the scheme and a last slash are left
 * out.
 */
export const readAddress: Classifier = (tokens, index) => {
  const core = tokens[index]?.core ?? "";
  const isWeb = scheme.test(core) || /^www\./i.test(core);
  if (isWeb)
    return single(
      spellAddress(
        core
          .replace(scheme, "")
          .replace(/^www\./i, "W-W-W.")
          .replace(/\/$/, ""),
      ),
    );
  const quad = dottedQuad.exec(core);
  if (quad?.slice(1, 5).every((part) => Number(part) < 256) === true) {
    const numbers = quad
      .slice(1, 5)
      .map((part) => digitsToWords(part ?? ""))
      .join(" dot ");
    const port = quad[5] === undefined ? "" : ` port ${labelDigitsToWords(quad[5])}`;
    return single(numbers + port + (quad[6] === undefined ? "" : ` ${spellAddress(quad[6])}`));
  }
  if (email.test(core)) return single(spellAddress(core.replace(/^mailto:/i, "")));
  if (domain.test(core) && /[a-z]/i.test(core)) return single(spellAddress(core.replace(/\/$/, "")));
  return path.test(core) && /\/[^/]*[a-z]/i.test(core) ? single(spellAddress(core)) : null;
};

/** Words of a name written as one: "ThrowbackThursday2024" gives "Throwback Thursday twenty twenty-four". */
function splitCompound(name: string): string {
  const parts = name.match(/\p{Lu}+(?![\p{Ll}])|\p{Lu}?\p{Ll}+|\p{Lo}+|\p{Lm}+|\p{Lt}+|\d+/gu) ?? [];
  return parts.map((part) => (/^\d/.test(part) ? labelDigitsToWords(part) : part)).join(" ");
}

/** @handles and #hashtags. A number after # is a number, not a tag. */
export const readTag: Classifier = (tokens, index) => {
  const core = tokens[index]?.core ?? "";
  const user = handle.exec(core);
  if (user !== null) return single(`at ${spellAddress(user[1] ?? "")}`);
  const tag = hashtag.exec(core);
  if (tag === null) return null;
  if (/^\d+$/.test(tag[1] ?? "")) return single(`number ${labelDigitsToWords(tag[1] ?? "")}`);
  const words = splitCompound(tag[1] ?? "");
  return words === "" ? null : single(`hashtag ${words}`);
};
