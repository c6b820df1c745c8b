import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes of all files below a folder; those that vanish meanwhile count nothing. */
export function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? bytesBelow(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }
  return bytes;
}
