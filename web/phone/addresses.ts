/** The addresses that somebody wrote into a field, between blanks and commas. Pure. */
export function addressesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((address) => address !== "");
}
