import { type Classifier, single } from "./match.js";
import { digitsToWords } from "./numbers.js";

const northAmerican = /^(\+)?(?:(1)[-.])?(?:(\d{3})[-.])(\d{3})[-.](\d{4})$/;
const local = /^(\d{3})-(\d{4})$/;
const international = /^\+(\d{1,3})((?:[-.]\d{2,4}){2,5})$/;
const identityNumber = /^(\d{3})-(\d{2})-(\d{4})$/;
const group = /^\d{2,4}$|^\d{2,4}(?:-\d{2,4})+$/;
const MAX_GROUPS = 6;

function groups(...digits: (string | undefined)[]): string {
  return digits.flatMap((part) => (part === undefined || part === "" ? [] : [digitsToWords(part)])).join(", ");
}

/**
 * Telephone, card and identity numbers, digit by digit with a pause between groups: 555-123-4567, (555) 123-4567, +44
 * 20 7946 0958.
 */
export const readPhone: Classifier = (tokens, index) => {
  const token = tokens[index];
  if (token === undefined) return null;
  const whole = northAmerican.exec(token.core);
  if (whole !== null) return single((whole[1] === undefined ? "" : "plus ") + groups(...whole.slice(2)));
  const short = local.exec(token.core) ?? identityNumber.exec(token.core);
  if (short !== null) return single(groups(...short.slice(1)));
  const abroad = international.exec(token.core);
  if (abroad !== null) return single(`plus ${groups(abroad[1], ...(abroad[2] ?? "").split(/[-.]/))}`);
  return readInGroups(tokens, index);
};

/** A number whose groups are parted by spaces; each group stays the reading of its own token. */
function readInGroups(tokens: Parameters<Classifier>[0], index: number): ReturnType<Classifier> {
  const first = tokens[index]?.core ?? "";
  const isCountry = /^\+\d{1,3}$/.test(first);
  const isArea = /^\d{3}$/.test(first);
  const isTrunk = /^0\d{2,4}$/.test(first);
  const isCard = /^\d{4}$/.test(first);
  if (!isCountry && !isArea && !isTrunk && !isCard) return null;
  const parts = [isCountry ? first.slice(1) : first];
  for (let at = index + 1; parts.length < MAX_GROUPS && group.test(tokens[at]?.core ?? ""); at++) {
    const separator = (tokens[at - 1]?.trail ?? "") + (tokens[at]?.lead ?? "");
    if (separator !== "" && separator !== "(" && separator !== ")" && separator !== ")(") break;
    parts.push(tokens[at]?.core ?? "");
  }
  const digits = parts.join("").replaceAll("-", "");
  const bracketed = tokens[index]?.lead.endsWith("(") === true && tokens[index]?.trail === ")";
  const shape = parts.slice(1).join("-");
  const isAbroad = isCountry && digits.length >= 8 && digits.length <= 15 && parts.length > 2;
  const isAmerican = isArea && /^\d{3}-\d{4}$/.test(shape) && (bracketed || parts.length === 3);
  const isNational = isTrunk && digits.length >= 9 && digits.length <= 11;
  const isCardNumber = isCard && parts.length === 4 && parts.every((part) => /^\d{4}$/.test(part));
  if (!isAbroad && !isAmerican && !isNational && !isCardNumber) return null;
  return parts.map((part, position) => {
    const spoken = (position === 0 && isCountry ? "plus " : "") + groups(...part.split("-"));
    return position < parts.length - 1 ? { tokens: 1, spoken, trail: "," } : { tokens: 1, spoken };
  });
}
