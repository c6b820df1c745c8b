import { z } from "zod";

const trueWords = ["true", "t", "yes", "y", "on", "1"];
const falseWords = ["false", "f", "no", "n", "off", "0"];

/**
 * A boolean, or its text as forms and query strings carry it; `fallback` when it is absent or null. Findings have
 * pydantic's names.
 */
export function looseBoolean(fallback: boolean): z.ZodType<boolean> {
  const schema = z.preprocess((value, context) => {
    if (value === null) return fallback;
    if (value === 0 || value === 1) return value === 1;
    if (typeof value !== "string") return value;
    const word = value.trim().toLowerCase();
    if (trueWords.includes(word)) return true;
    if (falseWords.includes(word)) return false;
    context.addIssue({
      code: "custom",
      params: { type: "bool_parsing" },
      message: "Input should be a valid boolean, unable to interpret input",
    });
    return z.NEVER;
  }, z.boolean());
  return schema.default(fallback);
}

const digits = (most: number): RegExp => new RegExp(`^\\s*[+-]?\\d{1,${most}}\\s*$`);
const countable = digits(16);
/** As many as pydantic reads. */
const anySize = digits(4300);

/** A whole number from a query string; `fallback` when it is absent. */
export function queryInteger(min: number, max: number, fallback: number): z.ZodType<number> {
  return wholeNumber(countable, Number, z.int().min(min).max(max)).default(fallback);
}

/**
 * A whole number from a query string, of any number of digits: one beyond what JavaScript counts exactly is
 * `Number.MAX_SAFE_INTEGER`. For numbers whose upper bound is no matter of their form and has an error of its own.
 */
export function queryIntegerOfAnySize(min: number): z.ZodType<number> {
  const toSafe = (text: string): number =>
    Math.min(Math.max(Number(text), -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  return wholeNumber(anySize, toSafe, z.int().min(min));
}

function wholeNumber(pattern: RegExp, read: (text: string) => number, bounds: z.ZodType<number>): z.ZodType<number> {
  return z.preprocess((value, context) => {
    if (typeof value === "string" && pattern.test(value)) return read(value);
    context.addIssue({
      code: "custom",
      params: { type: "int_parsing" },
      message: "Input should be a valid integer, unable to parse string as an integer",
    });
    return z.NEVER;
  }, bounds);
}
