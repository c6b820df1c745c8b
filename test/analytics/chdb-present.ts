import { createRequire } from "node:module";

/** Whether the optional engine is installed; said once by each test file that needs it. */
export function hasChdb(): boolean {
  try {
    createRequire(import.meta.url).resolve("chdb");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    console.warn("\n!!! chdb is not installed: the tests of the analytics engine DO NOT RUN. !!!\n");
    return false;
  }
}
