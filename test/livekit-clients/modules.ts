import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Why LiveKit's packages are not there, for whoever asked for their tests. */
export class MissingModules extends Error {
  override readonly name = "MissingModules";
}

/**
 * Installs exactly the packages of a folder's lock file into `directory`, unless they are there already. No script of
 * theirs runs: what is native comes built. Throws MissingModules when npm fails.
 */
export function ensureModules(directory: string, folder: string): void {
  const lock = "package-lock.json";
  const installed = join(directory, "installed.json");
  const wanted = readFileSync(join(folder, lock), "utf8");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return;
  console.log(`livekit clients: installing ${join(folder, lock)} into ${directory}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const file of ["package.json", lock]) copyFileSync(join(folder, file), join(directory, file));
  const { status, error } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: directory,
    stdio: "inherit",
  });
  if (status !== 0)
    throw new MissingModules("npm ci failed; this needs npm's registry, or a mirror of it that npm is configured for", {
      cause: error,
    });
  // Written last: what was left half installed is installed again.
  writeFileSync(installed, wanted);
}
