import { z } from "zod";
import { recordText } from "../text.js";

/** An id as a caller sends it: whether it names anything is decided by looking it up. */
export const reference = recordText(1, 128);

/** Digits after a plus (ITU-T E.164): at most 15, the first never 0. */
export const e164Number = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, { message: "Input should be a phone number in E.164 form" });

/** The date-times of answers. */
export const timestamp = z.iso.datetime();

/**
 * Whether a text names a zone of the IANA database as `Intl` knows it; offsets such as `+05:30`, which newer engines
 * take too, are no zones.
 */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false; // RangeError is how Intl says that it knows no such zone
  }
}
