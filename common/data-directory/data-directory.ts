import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDraft, PRIVATE_FOLDER } from "../files/durable-file.js";
import { newIdentifier } from "../identifier.js";
import { type FolderName, folderKinds } from "./folders.js";
import { type FoundFolder, type FolderVerdict, judgeFolder } from "./judge.js";
import { createStamp, readStamp, STAMP_FILE, type Stamp, writeStamp } from "./stamp.js";

/** Raised when a release changes the data directory so that an older one could not use it any more. */
const DATA_FORMAT = 1;

/** Drafts of writers that were killed are thrown away after this long. */
const STALE_DRAFT_MS = 3_600_000;

/**
 * Thrown when what lies in the data directory may not be used; `message` says why and what to do. Nothing was changed
 * then.
 */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

/** Who a data directory belongs to. */
export interface DataDirectory {
  path: string;
  /** Made with the directory, and written into every folder in it. */
  clusterId: string;
}

/**
 * Opens a data directory, making and stamping it where it is new. What else lies in it is left alone.
 * Throws DataDirectoryError for that of a newer release.
 */
export function openDataDirectory(path: string): DataDirectory {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
  removeStaleDrafts(path);
  let stamp = readStamp(path);
  if (stamp === null) {
    createStamp(path, { folder: "data", format: DATA_FORMAT, clusterId: newIdentifier() });
    stamp = readStamp(path);
  }
  const wanted = { folder: "data", format: DATA_FORMAT, clusterId: null, isEarlier: () => true };
  const verdict = judgeFolder(wanted, { entries: [STAMP_FILE], stamp, missing: [] });
  if (verdict.action === "refuse" || stamp === null || stamp === "unreadable")
    throw refusal(path, verdict.action === "refuse" ? verdict.reason : "has no stamp");
  return { path, clusterId: stamp.clusterId };
}

/** A folder of the data directory that may be used. */
export interface ClaimedFolder {
  path: string;
  /** False where nothing is there yet: whoever makes it writes the stamp into it once it is whole. */
  isMade: boolean;
  stamp: Stamp;
}

/**
 * Checks a folder of the data directory before its engine opens it, stamps one that an earlier release made, and closes
 * it to other users. Throws DataDirectoryError where it may not be used.
 */
export function claimFolder(directory: DataDirectory, name: FolderName): ClaimedFolder {
  const path = join(directory.path, name);
  const found = look(path, name);
  const stamp: Stamp = { folder: name, format: folderKinds[name].format, clusterId: directory.clusterId };
  const verdict = verdictOn(directory, name, found);
  if (verdict.action === "refuse") throw refusal(path, verdict.reason, name);
  if (verdict.action === "adopt") writeStamp(path, stamp);
  if (verdict.action !== "make") closeToOthers(path);
  return {
    path,
    isMade: verdict.action !== "make",
    stamp: found.stamp === null || found.stamp === "unreadable" ? stamp : found.stamp,
  };
}

/**
 * As `claimFolder`, making the folder and the essential ones in it where they are not there: for engines that fill an
 * empty folder by themselves.
 */
export function makeFolder(directory: DataDirectory, name: FolderName): ClaimedFolder {
  const claimed = claimFolder(directory, name);
  if (claimed.isMade) return claimed;
  makePrivateFolder(claimed.path);
  for (const below of folderKinds[name].essential)
    mkdirSync(join(claimed.path, below), { recursive: true, mode: PRIVATE_FOLDER });
  writeStamp(claimed.path, claimed.stamp);
  return { ...claimed, isMade: true };
}

function verdictOn(directory: DataDirectory, name: FolderName, found: FoundFolder): FolderVerdict {
  const kind = folderKinds[name];
  const wanted = { folder: name, format: kind.format, clusterId: directory.clusterId, isEarlier: kind.isEarlier };
  const verdict = judgeFolder(wanted, found);
  if (verdict.action === "make" || verdict.action === "refuse") return verdict;
  const problem = kind.problem?.(join(directory.path, name)) ?? null;
  return problem === null ? verdict : { action: "refuse", reason: `cannot be used: ${problem}` };
}

function look(path: string, name: FolderName): FoundFolder {
  // A volume that is mounted there brings a lost+found of its own.
  const counts = (entry: string): boolean =>
    entry !== "lost+found" && !isDraft(entry) && !folderKinds[name].written.includes(entry);
  const entries = existsSync(path) ? readdirSync(path).filter(counts) : null;
  const missing = folderKinds[name].essential.filter((below) => !existsSync(join(path, below)));
  return { entries, stamp: readStamp(path), missing };
}

/** Makes a folder that needs no stamp, such as that of the logs, for its owner alone. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
  closeToOthers(path);
}

/** Earlier releases made folders that other users could read or write; who is not the owner leaves it as it is. */
function closeToOthers(path: string): void {
  if ((statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, PRIVATE_FOLDER);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}

/** What to say of a folder whose files its engine cannot open or read; `cause` is the engine's own error. */
export function damaged(path: string, name: FolderName, cause: Error): DataDirectoryError {
  return new DataDirectoryError(
    `${path} cannot be opened: its files seem to be damaged (${cause.message}). ${wayOut(name)}`,
    { cause },
  );
}

function refusal(path: string, reason: string, name?: FolderName): DataDirectoryError {
  return new DataDirectoryError(`${path} ${reason}. Nothing was changed. ${wayOut(name)}`);
}

function wayOut(name: FolderName | undefined): string {
  const content = name === undefined ? "all that Parley keeps" : folderKinds[name].content;
  return `The folder holds ${content}: restore it from a backup, move it away to begin with an empty one, or set PARLEY_DATA_DIR to another folder (docs/data-directory.md)`;
}

function removeStaleDrafts(path: string): void {
  for (const name of readdirSync(path).filter(isDraft)) {
    const modifiedMs = statSync(join(path, name), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - modifiedMs > STALE_DRAFT_MS) rmSync(join(path, name), { force: true });
  }
}
