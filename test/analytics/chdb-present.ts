import { createRequire } from "node:module";

/** Whether the optional engine is installed; each test file that needs it says so where it is not. */
export function hasChdb(): boolean {
  try {
    createRequire(import.meta.url).resolve("chdb");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    console.warn(
      "left out: what needs the analytics engine (chdb is not installed); npm run test:all installs and runs it",
    );
    return false;
  }
}
