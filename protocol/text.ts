import { z } from "zod";

/** Postgres text and JSON hold neither U+0000 nor half a surrogate pair; saying so beats failing at the insert. */
function isStorable(text: string): boolean {
  return !text.includes("\u0000") && !/\p{Surrogate}/u.test(text);
}

/** Text of a length (in Unicode code points) that the database can keep. */
export function recordText(minLength: number, maxLength: number): z.ZodString {
  return z
    .string()
    .min(minLength)
    .max(maxLength)
    .refine(isStorable, { message: "Input should not contain NUL characters or unpaired surrogates" });
}
