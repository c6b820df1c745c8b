import { readBelowHundred, readCardinal, type SpokenNumber, tens } from "./cardinals.js";

const small =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth";
const ordinals: ReadonlyMap<string, number> = new Map([
  ...small.split(" ").map((name, i): [string, number] => [name, i + 1]),
  ...[...tens].map(([name, value]): [string, number] => [name.replace(/y$/, "ieth"), value]),
]);

/** An ordinal at a place: "third", "twenty first", "one hundred and fifth". */
export function readOrdinal(words: readonly string[], at: number): SpokenNumber | null {
  const alone = ordinals.get(words[at] ?? "");
  if (alone !== undefined) return { value: alone, count: 1 };
  const ten = tens.get(words[at] ?? "");
  const unit = ordinals.get(words[at + 1] ?? "");
  if (ten !== undefined && unit !== undefined && unit < 10) return { value: ten + unit, count: 2 };
  return afterHundreds(words, at);
}

/** "one hundred and fifth": a round cardinal, then an ordinal below a hundred. */
function afterHundreds(words: readonly string[], at: number): SpokenNumber | null {
  const cardinal = readCardinal(words, at);
  if (cardinal === null) return null;
  // The cardinal may have taken the tens of the ordinal with it.
  const last = readBelowHundred(words, at + cardinal.count - 1);
  const taken = last !== null && tens.has(words[at + cardinal.count - 1] ?? "") ? 1 : 0;
  const round = taken === 1 ? cardinal.value - (last?.value ?? 0) : cardinal.value;
  const from = at + cardinal.count - taken;
  const joined = taken === 0 && words[from] === "and" ? 1 : 0;
  if (round < 100 || round % 100 !== 0) return null;
  const ten = taken === 1 ? tens.get(words[from] ?? "") : undefined;
  const unit = ordinals.get(words[from + joined + taken] ?? "");
  if (unit === undefined || (ten !== undefined && unit > 9)) return null;
  return { value: round + (ten ?? 0) + unit, count: from + joined + taken + 1 - at };
}

/** A number with its ending: "21st". */
export function writeOrdinal(value: number): string {
  const [last, lastTwo] = [value % 10, value % 100];
  const ending = lastTwo >= 11 && lastTwo <= 13 ? "th" : (["th", "st", "nd", "rd"][last] ?? "th");
  return `${value.toLocaleString("en-US")}${ending}`;
}
