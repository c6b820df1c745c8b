import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { newIdentifier } from "../identifier.js";

/*
 * A file appears under its name whole or not at all, whatever ends the process, the power supply included, and however
 * full the disk is:
 *
 *   draft beside it ── write ── sync ── rename or link ── sync the directory, whose entry the name is
 *
 * Without the sync of the draft, a file system may remember the name before the content: an empty file after a crash.
 */

/** Only the owner reads what Parley keeps. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

export interface FileOptions {
  /** Permissions; those of `PRIVATE_FILE` when absent. */
  mode?: number;
  /**
   * Where the file is written before it gets its name; beside it, under a name that nobody else uses, when absent. For
   * a single writer: what a killed one left is overwritten.
   */
  draft?: string;
}

/** Writes a file, replacing the one of that name. When it throws, the earlier file is as it was. */
export function writeFileDurably(path: string, content: string | Uint8Array, options: FileOptions = {}): void {
  placeDraft(path, content, options, (draft) => {
    renameSync(draft, path);
    return true;
  });
}

/**
 * As `writeFileDurably` where there is no file of that name yet; false, and nothing changes, where there is one: of
 * several writers one wins.
 */
export function createFileDurably(path: string, content: string | Uint8Array, options: FileOptions = {}): boolean {
  return placeDraft(path, content, options, (draft) => {
    try {
      // link, unlike rename, fails when the name is taken.
      linkSync(draft, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  });
}

/** Gives a file or folder another name on the same disk, once all that it holds is on that disk. */
export function moveDurably(from: string, to: string): void {
  syncTree(from);
  renameSync(from, to);
  syncEntry(dirname(to));
  if (dirname(from) !== dirname(to)) syncEntry(dirname(from));
}

/** The name of a draft beside `path`; a killed writer leaves it behind. */
const draftOf = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${newIdentifier().slice(0, 12)}.part`);

/** Whether a file's name is that of a draft. */
export function isDraft(name: string): boolean {
  return /^\..+\.[0-9a-f]{12}\.part$/.test(name);
}

function placeDraft(
  path: string,
  content: string | Uint8Array,
  options: FileOptions,
  place: (draft: string) => boolean,
): boolean {
  const draft = options.draft ?? draftOf(path);
  try {
    const descriptor = openSync(draft, options.draft === undefined ? "wx" : "w", options.mode ?? PRIVATE_FILE);
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    const isPlaced = place(draft);
    if (isPlaced) syncEntry(dirname(path));
    return isPlaced;
  } finally {
    rmSync(draft, { force: true });
  }
}

function syncTree(path: string): void {
  const kind = lstatSync(path);
  // What a link points at was not written here.
  if (kind.isSymbolicLink()) return;
  if (kind.isDirectory()) for (const name of readdirSync(path)) syncTree(join(path, name));
  syncEntry(path);
}

/** Brings a file, or a folder's list of names, to the disk. */
function syncEntry(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } catch (error) {
    // Network file systems that know no sync of a folder.
    if (!["EINVAL", "ENOTSUP"].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  } finally {
    closeSync(descriptor);
  }
}
