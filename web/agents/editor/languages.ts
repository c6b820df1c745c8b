import type { Choice } from "./config-field.js";

const names = new Intl.DisplayNames("en", { type: "language" });

/** Languages by their English names. */
export function languageChoices(codes: readonly string[]): Choice[] {
  return codes.map((code) => ({ value: code, label: names.of(code) ?? code }));
}
