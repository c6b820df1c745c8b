import { chmodSync } from "node:fs";
import { SHARED_FOLDER_VARIABLE } from "./prepared-folder.js";
import { temporaryDirectory } from "./temporary-directory.js";

/** Runs once around all tests: gives them a folder for what they share. */
export default function setup(): () => void {
  const shared = temporaryDirectory("shared");
  // Postgres runs as a user of its own, and finds its part by name.
  chmodSync(shared.path, 0o711);
  process.env[SHARED_FOLDER_VARIABLE] = shared.path;
  return () => shared.remove();
}
