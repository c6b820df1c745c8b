import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fresh folder under the system's temporary one, and how to get rid of it. */
export function temporaryDirectory(label: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `parley-${label}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
