/** A stream that holds less than this would lose messages before anybody took them. */
export const SMALLEST_STREAM_BYTES = 1024 * 1024;

/**
 * The sizes to ask for, in this order, until the server has room: the wanted one, half of it, and so on, but never less
 * than the stream has already (`knownBytes`, null for a new one).
 */
export function sizesToTry(wantedBytes: number, knownBytes: number | null): number[] {
  const least = Math.min(wantedBytes, Math.max(SMALLEST_STREAM_BYTES, knownBytes ?? 0));
  const sizes: number[] = [];
  for (let size = wantedBytes; size > least; size = Math.floor(size / 2)) sizes.push(size);
  return [...sizes, least];
}
