/**
 * The text without these characters at its end, in linear time: as an expression, `/0+$/` looks at each run of them
 * again from each of its characters.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
