import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Full path of a program, or null. `path` is the PATH variable; the folders where Debian keeps servers are searched
 * too.
 */
export function findProgram(name: string, path: string | undefined): string | null {
  for (const folder of [...(path ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin"].filter(
    (candidate) => candidate !== "",
  )) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this folder: the next one.
    }
  }
  return null;
}
