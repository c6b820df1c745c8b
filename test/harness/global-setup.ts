import { PREPARED_DATABASE_VARIABLE } from "./prepared-database.js";
import { temporaryDirectory } from "./temporary-directory.js";

/** Runs once around all tests: gives them a folder for what they share. */
export default function setup(): () => void {
  const shared = temporaryDirectory("shared");
  process.env[PREPARED_DATABASE_VARIABLE] = shared.path;
  return () => shared.remove();
}
