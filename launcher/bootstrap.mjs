// The first code of every `parley` command: sets up what is missing, then hands over to the compiled command line.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  buildIsCurrent,
  ensureBuild,
  ensureModules,
  ensurePackages,
  modulesAreCurrent,
  requireNode,
  root,
  say,
  serverPackages,
  SetupError,
} from "./setup.mjs";

/** Runs `parley <args>`; sets the exit code. */
export async function parley(args) {
  try {
    requireNode();
    loadDotEnv();
    if (args[0] === "doctor") reportSetup();
    ensureModules();
    ensureBuild();
    if (args[0] === "up" && !args.includes("--help")) ensurePackages(serverPackages());
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
    return;
  }
  const { main } = await import(pathToFileURL(join(root, "dist", "cli", "main.js")).href);
  process.exitCode = await main(args);
}

/** Settings may stand in a file `.env` in the project folder; what the environment says goes first. */
function loadDotEnv() {
  const file = join(root, ".env");
  if (existsSync(file)) process.loadEnvFile(file);
}

/**
 * `doctor` is asked what is missing: it says so before it goes on to install and build, without which nothing more can
 * be found out.
 */
function reportSetup() {
  if (!modulesAreCurrent()) say("node modules: missing or older than package-lock.json; installing them now");
  else if (!buildIsCurrent()) say("build: older than the sources; building now");
}
