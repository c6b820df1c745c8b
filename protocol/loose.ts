import { z } from "zod";

const trueWords = ["true", "t", "yes", "y", "on", "1"];
const falseWords = ["false", "f", "no", "n", "off", "0"];

/** A boolean, or its text as forms and query strings carry it; `fallback` when it is absent or null. Findings have pydantic's names. */
export function looseBoolean(fallback: boolean): z.ZodType<boolean> {
  const schema = z.preprocess((value, context) => {
    if (value === null) return fallback;
    if (value === 0 || value === 1) return value === 1;
    if (typeof value !== "string") return value;
    const word = value.trim().toLowerCase();
    if (trueWords.includes(word)) return true;
    if (falseWords.includes(word)) return false;
    context.addIssue({ code: "custom", params: { type: "bool_parsing" }, message: "Input should be a valid boolean, unable to interpret input" });
    return z.NEVER;
  }, z.boolean());
  return schema.default(fallback);
}

/** A whole number from a query string; `fallback` when it is absent. */
export function queryInteger(min: number, max: number, fallback: number): z.ZodType<number> {
  const schema = z.preprocess(
    (value, context) => {
      if (typeof value === "string" && /^\s*[+-]?\d{1,16}\s*$/.test(value)) return Number(value);
      context.addIssue({
        code: "custom",
        params: { type: "int_parsing" },
        message: "Input should be a valid integer, unable to parse string as an integer",
      });
      return z.NEVER;
    },
    z.int().min(min).max(max),
  );
  return schema.default(fallback);
}
