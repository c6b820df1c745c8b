/** A number that words at some place say. */
export interface SpokenNumber {
  value: number;
  /** How many words it takes. */
  count: number;
}

const names = (text: string, first: number, step = 1): [string, number][] =>
  text.split(" ").map((name, i) => [name, first + i * step]);

/** One to nine. */
export const units: ReadonlyMap<string, number> = new Map(names("one two three four five six seven eight nine", 1));

/** Ten to nineteen. */
export const teens: ReadonlyMap<string, number> = new Map(
  names("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10),
);

/** Twenty to ninety. */
export const tens: ReadonlyMap<string, number> = new Map(
  names("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10),
);

const scales: ReadonlyMap<string, number> = new Map([
  ["thousand", 1e3],
  ["million", 1e6],
  ["billion", 1e9],
  ["trillion", 1e12],
]);

const numberWords: ReadonlySet<string> = new Set([
  "zero",
  ...units.keys(),
  ...teens.keys(),
  ...tens.keys(),
  "hundred",
  ...scales.keys(),
]);

/** Whether a word by itself is part of a number. */
export function isNumberWord(word: string | undefined): boolean {
  return word !== undefined && numberWords.has(word);
}

/** Zero to ninety-nine at a place; null where there is no such number. */
export function readBelowHundred(words: readonly string[], at: number): SpokenNumber | null {
  const word = words[at] ?? "";
  const ten = tens.get(word);
  if (ten !== undefined) {
    const unit = units.get(words[at + 1] ?? "");
    return unit === undefined ? { value: ten, count: 1 } : { value: ten + unit, count: 2 };
  }
  const value = word === "zero" ? 0 : (units.get(word) ?? teens.get(word));
  return value === undefined ? null : { value, count: 1 };
}

/**
 * The longest cardinal at a place: "two thousand five hundred and six", "twenty five hundred", "a hundred and ten". Each
 * scale is smaller than the one before it.
 */
export function readCardinal(words: readonly string[], at: number): SpokenNumber | null {
  let value = 0;
  let next = at;
  let from = at;
  let group = readGroup(words, from);
  for (let below = Number.POSITIVE_INFINITY; group !== null; ) {
    const scale = scales.get(words[from + group.count] ?? "") ?? 1;
    // "And" comes before what is below a hundred only: "two thousand and five thousand" are two numbers.
    if (scale >= below || (from > next && (scale > 1 || group.value >= 100))) break;
    value += group.value * scale;
    next = from + group.count + (scale > 1 ? 1 : 0);
    if (scale === 1) break;
    below = scale;
    from = words[next] === "and" ? next + 1 : next;
    group = words[from] === "a" ? null : readGroup(words, from);
    if (group?.value === 0) break;
  }
  return next === at ? null : { value, count: next - at };
}

/** What stands before a scale; "a" is one where a hundred or a scale follows. */
function readGroup(words: readonly string[], at: number): SpokenNumber | null {
  const isArticle = words[at] === "a" && (words[at + 1] === "hundred" || scales.has(words[at + 1] ?? ""));
  const first = isArticle ? { value: 1, count: 1 } : readBelowHundred(words, at);
  return first === null ? null : withHundreds(words, at, first);
}

/** A number below a hundred with "hundred" and what may follow it; the number alone where there is no "hundred". */
function withHundreds(words: readonly string[], at: number, first: SpokenNumber): SpokenNumber {
  if (words[at + first.count] !== "hundred" || first.value === 0) return first;
  let count = first.count + 1;
  let value = first.value * 100;
  const joined = words[at + count] === "and" ? 1 : 0;
  const rest = readBelowHundred(words, at + count + joined);
  if (rest !== null && rest.value > 0) {
    value += rest.value;
    count += joined + rest.count;
  }
  return { value, count };
}
