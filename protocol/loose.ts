import { z } from "zod";

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  yes: true,
  y: true,
  on: true,
  "1": true,
  false: false,
  f: false,
  no: false,
  n: false,
  off: false,
  "0": false,
};

/** A boolean, or its text as forms and query strings carry it; `fallback` when it is absent or null. Findings have pydantic's names. */
export function looseBoolean(fallback: boolean): z.ZodType<boolean> {
  return z.preprocess((value, context) => {
    if (value === undefined || value === null) return fallback;
    if (value === 0 || value === 1) return value === 1;
    if (typeof value !== "string") return value;
    const truth = truths[value.trim().toLowerCase()];
    if (truth === undefined) {
      context.addIssue({ code: "custom", params: { type: "bool_parsing" }, message: "Input should be a valid boolean, unable to interpret input" });
      return z.NEVER;
    }
    return truth;
  }, z.boolean());
}

/** A whole number from a query string; `fallback` when it is absent. */
export function queryInteger(min: number, max: number, fallback: number): z.ZodType<number> {
  return z.preprocess((value, context) => {
    if (value === undefined) return fallback;
    if (typeof value === "string" && /^\s*[+-]?\d{1,15}\s*$/.test(value)) return Number(value);
    context.addIssue({
      code: "custom",
      params: { type: "int_parsing" },
      message: "Input should be a valid integer, unable to parse string as an integer",
    });
    return z.NEVER;
  }, z.int().min(min).max(max));
}
