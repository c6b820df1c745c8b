const BAR_CHARACTERS = 24;

/** A bar for a terminal's line; `part` is 0 to 1. */
export function progressBar(part: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, part)) * BAR_CHARACTERS);
  return `[${"#".repeat(filled)}${".".repeat(BAR_CHARACTERS - filled)}]`;
}

/** A size for people, in units of 1024. */
export function readableBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
