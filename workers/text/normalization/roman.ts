import { type Classifier, isCapitalized, lowerCore, single } from "./match.js";
import { numberToWords, ordinalToWords } from "./numbers.js";

const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };
const wellFormed = /^(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;

/** Nouns that a Roman numeral counts. */
const counted = new Set([
  "chapter",
  "part",
  "book",
  "volume",
  "vol",
  "act",
  "scene",
  "section",
  "article",
  "appendix",
  "phase",
  "type",
  "class",
  "level",
  "grade",
  "stage",
  "title",
  "figure",
  "table",
  "episode",
  "season",
  "round",
  "war",
  "bowl",
  "mark",
  "factor",
  "schedule",
  "annex",
  "canto",
]);

/** Names that rulers and popes share. */
const regnal = new Set([
  "henry",
  "louis",
  "elizabeth",
  "george",
  "edward",
  "richard",
  "charles",
  "james",
  "william",
  "philip",
  "napoleon",
  "john",
  "paul",
  "pius",
  "benedict",
  "gregory",
  "leo",
  "innocent",
  "urban",
  "clement",
  "alexander",
  "nicholas",
  "catherine",
  "frederick",
  "ferdinand",
  "mary",
  "ramses",
  "ramesses",
  "ptolemy",
  "xerxes",
  "darius",
  "otto",
  "peter",
  "ivan",
  "wilhelm",
  "friedrich",
  "karl",
  "gustav",
  "haakon",
  "margrethe",
  "juan",
  "carlos",
  "felipe",
  "leopold",
  "umberto",
  "victor",
  "emmanuel",
  "stephen",
  "robert",
  "david",
  "malcolm",
  "cleopatra",
  "antiochus",
]);

/** Value of a well-formed capital Roman numeral, or null. */
function romanValue(text: string): number | null {
  if (text.length > 15 || !wellFormed.test(text)) return null;
  let total = 0;
  let previous = 0;
  for (const symbol of [...text].reverse()) {
    const value = values[symbol] ?? 0;
    total += value < previous ? -value : value;
    previous = Math.max(previous, value);
  }
  return total;
}

/** Roman numerals after a noun or name that calls for one: Chapter IV, Henry VIII, Rocky II, XIX century. */
export const readRoman: Classifier = (tokens, index) => {
  const token = tokens[index];
  if (token === undefined || !/^[IVXLCDM]+$/.test(token.core)) return null;
  const value = romanValue(token.core);
  if (value === null || token.startsBlock) return null;
  if (/^centur(?:y|ies)$/.test(lowerCore(tokens, index + 1)) && token.core.length > 1)
    return single(ordinalToWords(value));
  const previous = tokens[index - 1];
  if (previous === undefined || token.lead !== "" || !isCapitalized(previous.core)) return null;
  if (previous.trail !== "" && !/^(?:vol|ch|pt|art|fig)$/i.test(previous.core)) return null;
  if (token.core === "I" && token.trail === "" && /^(?!of$|and$)\p{Ll}/u.test(tokens[index + 1]?.core ?? ""))
    return null; // "Henry I think"
  const noun = previous.core.toLowerCase();
  if (regnal.has(noun)) return single(`the ${ordinalToWords(value)}`);
  if (counted.has(noun)) return single(numberToWords(value));
  return /^[IVX]{2,}$/.test(token.core) ? single(numberToWords(value)) : null;
};
