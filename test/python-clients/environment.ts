import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Why there is no Python to run the tests with, for whoever asked for them. */
export class MissingPython extends Error {
  override readonly name = "MissingPython";
}

/**
 * Gives the Python of a virtual environment with exactly the packages of a requirements file: made when it is missing,
 * made anew when the file has changed. Throws MissingPython with what to install.
 */
export function ensureEnvironment(directory: string, requirementsFile: string): string {
  const python = join(directory, "bin", "python");
  const installed = join(directory, "installed.txt");
  const requirements = readFileSync(requirementsFile, "utf8");
  if (existsSync(python) && existsSync(installed) && readFileSync(installed, "utf8") === requirements) return python;
  console.log(`installing ${requirementsFile} into ${directory}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  run("python3", ["-m", "venv", directory], "python3 with its venv module (on Debian: apt-get install python3-venv)");
  const pip = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-input",
    "--only-binary",
    ":all:",
    "--requirement",
    requirementsFile,
  ];
  run(python, pip, "PyPI, or a mirror of it that pip is configured for");
  // Written last: an environment that was left half made is made again.
  writeFileSync(installed, requirements);
  return python;
}

function run(program: string, args: string[], needed: string): void {
  const { status, error } = spawnSync(program, args, { stdio: "inherit" });
  if (status !== 0)
    throw new MissingPython(`${program} ${args.slice(0, 3).join(" ")} failed; this needs ${needed}`, { cause: error });
}
