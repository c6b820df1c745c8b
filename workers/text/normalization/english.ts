import { readAbbreviation } from "./abbreviations.js";
import { readAddress, readTag } from "./addresses.js";
import type { CleanText } from "./clean.js";
import { readCompound } from "./compounds.js";
import { readNamedDate, readNumericDate, readWeekday } from "./dates.js";
import { readFraction } from "./fractions.js";
import type { Classifier, Reading, ReadingOptions } from "./match.js";
import { readMoney } from "./money.js";
import { readDecade, readNumeral } from "./numerals.js";
import { readPhone } from "./phones.js";
import { pauseAfter, SpokenBuilder } from "./pauses.js";
import { readNumberedLetter, readRange, readVersion } from "./ranges.js";
import { readRoman } from "./roman.js";
import type { NormalizedText } from "./span.js";
import { readExpression, readLoneSymbol, readSigned } from "./symbols.js";
import { readDuration, readRatio, readTime } from "./times.js";
import { type Token, tokenize } from "./tokens.js";
import { readQuantity } from "./units.js";

/**
 * Longer words are read by their runs of letters and digits: nothing that long is a date, and patterns stay off hostile
 * input.
 */
const MAX_CLASSIFIED_CHARACTERS = 256;

/** Tried in order on words of letters, apostrophes and hyphens alone. */
const wordClassifiers: readonly Classifier[] = [
  readNamedDate,
  readWeekday,
  readAbbreviation,
  readRoman,
  readMoney,
  readLoneSymbol,
];

/** Tried in order on words that hold a digit or a sign; the more particular shape stands first. */
const figureClassifiers: readonly Classifier[] = [
  readAbbreviation,
  readLoneSymbol,
  readNumericDate,
  readNamedDate,
  readPhone,
  readTime,
  readMoney,
  readDecade,
  readQuantity,
  readFraction,
  readDuration,
  readNumeral,
  readAddress,
  readVersion,
  readTag,
  readExpression,
  readRange,
  readRatio,
  readSigned,
  readNumberedLetter,
];

const plainWord = /^[\p{L}\p{M}]+(?:['-][\p{L}\p{M}]+)*$/u;
const capitalWord = /^\p{Lu}/u;

/** English text as words: every number, sign and abbreviation read out, one span per source word. */
export function speakEnglish(clean: CleanText, dayFirst: boolean): NormalizedText {
  const tokens = tokenize(clean);
  const options: ReadingOptions = { dayFirst, read: (core) => readPart(core, options) };
  const builder = new SpokenBuilder();
  for (let index = 0; index < tokens.length; ) {
    const readings = readAt(tokens, index, options);
    for (const reading of readings) {
      const first = tokens[index];
      const last = tokens[index + reading.tokens - 1];
      if (first === undefined || last === undefined) break;
      const next = tokens[index + reading.tokens];
      builder.add(reading.spoken, first, last, pauseAfter(first, reading.trail ?? last.trail, next));
      index += reading.tokens;
    }
  }
  return builder.finish();
}

function readAt(tokens: readonly Token[], index: number, options: ReadingOptions): readonly Reading[] {
  const token = tokens[index];
  if (token === undefined) return [];
  const { core } = token;
  if (core.length > MAX_CLASSIFIED_CHARACTERS) return [{ tokens: 1, spoken: readCompound(core) }];
  const isWord = plainWord.test(core);
  if (isWord && token.trail === "" && !capitalWord.test(core) && core.length > 3) return [{ tokens: 1, spoken: core }];
  for (const classifier of isWord ? wordClassifiers : figureClassifiers) {
    const readings = classifier(tokens, index, options);
    if (readings !== null) return readings;
  }
  return [{ tokens: 1, spoken: isWord ? core : readUnknown(core, options) }];
}

/** What no classifier knows: its parts between hyphens and slashes are tried alone, the rest is read by runs. */
function readUnknown(core: string, options: ReadingOptions): string {
  const atHyphens = core.split(/[-–](?=[\p{L}\p{N}$€£'])/u);
  const parts = atHyphens.length > 1 ? atHyphens : core.split(/\/(?=[\p{L}\p{N}$€£'])/u);
  if (parts.length < 2 || parts.length > 8 || !/\d/.test(core)) return readCompound(core);
  return parts
    .map((part) => options.read(part))
    .filter((part) => part !== "")
    .join(" ");
}

/** Reads one part of a compound as if it stood alone; parts are shorter than the whole, so this ends. */
function readPart(core: string, options: ReadingOptions): string {
  if (core === "") return "";
  const alone: Token = { core, lead: "", trail: "", sourceStart: 0, sourceEnd: 0, startsBlock: false };
  return readAt([alone], 0, options)
    .map((reading) => reading.spoken)
    .join(" ");
}
