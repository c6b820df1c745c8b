/** A moment as the reader's own calendar and clock have it. */
export function dayAndTime(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
