import { type Classifier, type Reading, joinsNext, lowerCore, single } from "./match.js";
import { isOne, numberToWords, numeralToWords } from "./numbers.js";
import type { Token } from "./tokens.js";

interface Currency {
  one: string;
  many: string;
  /** Hundredth, singular and plural; null where amounts have none. */
  cent: readonly [string, string] | null;
}

const cents = ["cent", "cents"] as const;
const dollar: Currency = { one: "dollar", many: "dollars", cent: cents };
const euro: Currency = { one: "euro", many: "euros", cent: cents };
const pound: Currency = { one: "pound", many: "pounds", cent: ["penny", "pence"] };
const yen: Currency = { one: "yen", many: "yen", cent: null };

function prefixed(prefix: string, currency: Currency): Currency {
  return { ...currency, one: `${prefix} ${currency.one}`, many: `${prefix} ${currency.many}` };
}

const currencies: ReadonlyMap<string, Currency> = new Map([
  ["$", dollar],
  ["€", euro],
  ["£", pound],
  ["¥", yen],
  ["₹", { one: "rupee", many: "rupees", cent: ["paisa", "paise"] }],
  ["US$", prefixed("U-S", dollar)],
  ["U.S.$", prefixed("U-S", dollar)],
  ["A$", prefixed("Australian", dollar)],
  ["AU$", prefixed("Australian", dollar)],
  ["C$", prefixed("Canadian", dollar)],
  ["CA$", prefixed("Canadian", dollar)],
  ["NZ$", prefixed("New Zealand", dollar)],
  ["HK$", prefixed("Hong Kong", dollar)],
  ["S$", prefixed("Singapore", dollar)],
  ["USD", prefixed("U-S", dollar)],
  ["EUR", euro],
  ["GBP", prefixed("British", pound)],
  ["JPY", prefixed("Japanese", yen)],
  ["AUD", prefixed("Australian", dollar)],
  ["CAD", prefixed("Canadian", dollar)],
  ["NZD", prefixed("New Zealand", dollar)],
  ["CHF", { one: "Swiss franc", many: "Swiss francs", cent: null }],
  ["CNY", { one: "Chinese yuan", many: "Chinese yuan", cent: null }],
  ["INR", { one: "Indian rupee", many: "Indian rupees", cent: null }],
  ["SEK", { one: "Swedish krona", many: "Swedish kronor", cent: null }],
]);

const scaleNames: Readonly<Record<string, string>> = {
  k: "thousand",
  K: "thousand",
  m: "million",
  M: "million",
  mn: "million",
  mm: "million",
  MM: "million",
  b: "billion",
  B: "billion",
  bn: "billion",
  Bn: "billion",
  t: "trillion",
  T: "trillion",
  tn: "trillion",
  trn: "trillion",
};
const scaleWords = /^(?:hundred|thousand|million|billion|trillion|k|m|bn|mn|tn)$/i;

const symbolFirst = new RegExp(
  "^([+-])?(US\\$|U\\.S\\.\\$|AU\\$|CA\\$|NZ\\$|HK\\$|A\\$|C\\$|S\\$|[$€£¥₹]|USD|EUR|GBP|JPY|CHF|CAD|AUD)([+-])?([\\d.,]*\\d)" +
    "(k|K|mn|mm|MM|m|M|bn|Bn|b|B|trn|tn|t|T)?(?:\\/([A-Za-z]+))?$",
);
const symbolLast = /^([+-])?([\d.,]*\d)(k|K|mn|m|M|bn|b|B)?([$€£¥₹¢]|USD|EUR|GBP|JPY|CHF)$/;
const perUnits: Readonly<Record<string, string>> = {
  hr: "hour",
  h: "hour",
  mo: "month",
  yr: "year",
  wk: "week",
  kg: "kilogram",
  lb: "pound",
  km: "kilometer",
  mi: "mile",
  min: "minute",
  sec: "second",
  gal: "gallon",
  sqft: "square foot",
  GB: "gigabyte",
  MB: "megabyte",
  kWh: "kilowatt hour",
};
const singularAfter = new Set(["bill", "bills", "note", "notes", "coin", "coins", "menu"]);

/** Whether a word multiplies the amount before it: "million", "bn". */
export function isScaleWord(word: string): boolean {
  return scaleWords.test(word);
}

/** Name of a currency symbol for amounts other than one: "dollars" for "$"; "" when unknown. */
export function currencyPlural(symbol: string): string {
  return currencies.get(symbol)?.many ?? "";
}

/** "five dollars and twenty cents"; null when `numeral` is no number. */
function amountToWords(numeral: string, currency: Currency): string | null {
  const hundredths = /^((?:\d+|\d{1,3}(?:,\d{3})+)?)\.(\d{2})$/.exec(numeral);
  if (hundredths !== null && currency.cent !== null) {
    const [, whole = "", part = "00"] = hundredths;
    const small = `${numberToWords(part)} ${currency.cent[Number(part) === 1 ? 0 : 1]}`;
    const isNothing = /^[0,]*$/.test(whole);
    if (isNothing && part !== "00") return small;
    const big = `${numberToWords(isNothing ? "0" : whole)} ${isOne(whole) ? currency.one : currency.many}`;
    return part === "00" ? big : `${big} and ${small}`;
  }
  const words = numeralToWords(numeral);
  return words === null ? null : `${words} ${isOne(numeral) ? currency.one : currency.many}`;
}

function signWord(sign: string | undefined): string {
  return sign === "-" ? "minus " : sign === "+" ? "plus " : "";
}

/** Amounts of money: $5.20, €3.5m, £2 billion, US$5, 50¢, 5€, 5 USD, USD 5, $20/hr. */
export const readMoney: Classifier = (tokens, index) => {
  const token = tokens[index];
  if (token === undefined) return null;
  return amountAfterSymbol(tokens, index, token) ?? amountBeforeSymbol(token) ?? amountBesideCode(tokens, index, token);
};

function amountAfterSymbol(tokens: readonly Token[], index: number, token: Token): Reading[] | null {
  const match = symbolFirst.exec(token.core);
  const currency = currencies.get(match?.[2] ?? "");
  if (match === null || currency === undefined) return null;
  const [, signBefore, , signAfter, numeral = "", scale, per] = match;
  const sign = signWord(signBefore ?? signAfter);
  const perText = per === undefined ? "" : ` per ${perUnits[per] ?? per}`;
  const words = numeralToWords(numeral);
  if (words === null) return null;
  if (scale !== undefined) return single(`${sign}${words} ${scaleNames[scale]} ${currency.many}${perText}`);
  const next = tokens[index + 1];
  if (per === undefined && joinsNext(tokens, index) && next !== undefined && scaleWords.test(next.core)) {
    const after = lowerCore(tokens, index + 2);
    const noun = next.trail === "" && /^(?:dollars?|euros?|pounds?)$/.test(after) ? "" : ` ${currency.many}`;
    return [
      { tokens: 1, spoken: sign + words },
      { tokens: 1, spoken: (scaleNames[next.core] ?? next.core) + noun },
    ];
  }
  if (joinsNext(tokens, index) && singularAfter.has(lowerCore(tokens, index + 1)))
    return single(`${sign}${words} ${currency.one}`);
  const amount = amountToWords(numeral, currency);
  return amount === null ? null : single(sign + amount + perText);
}

function amountBeforeSymbol(token: Token): Reading[] | null {
  const match = symbolLast.exec(token.core);
  if (match === null) return null;
  const [, sign, written = "", scale, symbol = ""] = match;
  // "3,50 €" is how the euro's own countries write it; the comma is no thousands mark there.
  const numeral = written.replace(/,(\d{2})$/, ".$1");
  const words = numeralToWords(numeral);
  if (words === null) return null;
  if (symbol === "¢") return single(`${signWord(sign)}${words} ${isOne(numeral) ? "cent" : "cents"}`);
  const currency = currencies.get(symbol);
  if (currency === undefined) return null;
  if (scale !== undefined) return single(`${signWord(sign)}${words} ${scaleNames[scale]} ${currency.many}`);
  const amount = amountToWords(numeral, currency);
  return amount === null ? null : single(signWord(sign) + amount);
}

function amountBesideCode(tokens: readonly Token[], index: number, token: Token): Reading[] | null {
  const next = tokens[index + 1];
  if (next === undefined || !joinsNext(tokens, index)) return null;
  const after = currencies.get(next.core);
  if (after !== undefined && /^[A-Z]{3}$|^[$€£¥₹]$/.test(next.core)) {
    const words = numeralToWords(token.core);
    return words === null
      ? null
      : [
          { tokens: 1, spoken: words },
          { tokens: 1, spoken: isOne(token.core) ? after.one : after.many },
        ];
  }
  const before = currencies.get(token.core);
  if (before === undefined) return null;
  const amount = amountToWords(next.core, before);
  return amount === null ? null : [{ tokens: 2, spoken: amount }];
}
