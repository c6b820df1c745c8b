import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Stamp, writeStamp } from "#common/data-directory/stamp";
import { moveDurably } from "#common/files/durable-file";
import { newIdentifier } from "#common/identifier";

/** How much of the child's last words an error quotes. */
const QUOTED_CHARACTERS = 2000;

/**
 * Creates the embedded database beside its place and moves it there: a start that is cut off half way leaves nothing
 * half made. It is made by a process of its own (3 to 5 s), which takes the 330 MB that this needs with it when it
 * ends: here they would stay for good. Whoever calls this holds the lock of the database. Each attempt has a folder of
 * its own, so that a child which outlives a killed parent for a moment is in nobody's way.
 */
export async function createDatabase(directory: string, stamp: Stamp): Promise<void> {
  removeDrafts(directory);
  const draft = join(dirname(directory), `${draftPrefix(directory)}${newIdentifier().slice(0, 12)}`);
  try {
    await initialize(draft);
    writeStamp(draft, stamp);
    moveDurably(draft, directory);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

const draftPrefix = (directory: string): string => `${basename(directory)}.new`;

/** Removes what starts that were cut off, of this release and of earlier ones, left. */
function removeDrafts(directory: string): void {
  const parent = dirname(directory);
  for (const name of readdirSync(parent)) {
    if (name.startsWith(draftPrefix(directory))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** Runs `create-process` until it ends; rejects with its last words when it fails. */
async function initialize(directory: string): Promise<void> {
  const program = join(import.meta.dirname, "create-process.js");
  const child = fork(program, [directory], { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [] });
  let words = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-QUOTED_CHARACTERS);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (code !== 0)
    throw new Error(
      `the embedded database could not be made: ${words.trim() || `its process ended with ${signal ?? code}`}`,
    );
}
