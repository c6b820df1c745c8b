import type { Stamp } from "./stamp.js";

/** What is in a folder's place. */
export interface FoundFolder {
  /** Names in it, those that mean nothing left out; null where there is no folder. */
  entries: readonly string[] | null;
  stamp: Stamp | "unreadable" | null;
  /** Which of the essential paths are not there. */
  missing: readonly string[];
}

/** What this release and this data directory make of a folder. */
export interface WantedFolder {
  folder: string;
  format: number;
  /** Null for the data directory itself, which has an id of its own. */
  clusterId: string | null;
  isEarlier(entries: readonly string[]): boolean;
}

/**
 * `make`: nothing is there yet. `adopt`: it was made before folders were stamped, and gets its stamp now. `use`: it is
 * ours. `refuse`: nothing may be written there; `reason` goes on after the folder's path.
 */
export type FolderVerdict = { action: "make" | "adopt" | "use" } | { action: "refuse"; reason: string };

const refuse = (reason: string): FolderVerdict => ({ action: "refuse", reason });

/** Decides whether a folder may be used. What is not empty is never made anew: that would be over somebody's data. */
export function judgeFolder(wanted: WantedFolder, found: FoundFolder): FolderVerdict {
  const { entries, stamp, missing } = found;
  if (entries === null || entries.length === 0) return { action: "make" };
  if (stamp === "unreadable") return refuse("has a parley.json that cannot be read");
  if (stamp === null && !wanted.isEarlier(entries))
    return refuse(`is not empty, and what is in it (${listOf(entries)}) was not put there by Parley`);
  if (stamp !== null) {
    if (stamp.folder !== wanted.folder)
      return refuse(`is a folder "${stamp.folder}" of Parley, not a folder "${wanted.folder}"`);
    if (stamp.format > wanted.format)
      return refuse(
        `was written by a newer release of Parley (format ${stamp.format}; this one knows ${wanted.format})`,
      );
    if (wanted.clusterId !== null && stamp.clusterId !== wanted.clusterId) {
      return refuse(`belongs to another cluster (${stamp.clusterId}; this data directory is of ${wanted.clusterId})`);
    }
  }
  if (missing.length > 0)
    return refuse(`is damaged: ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`);
  return { action: stamp === null ? "adopt" : "use" };
}

const MOST_NAMES = 4;

function listOf(entries: readonly string[]): string {
  const names = entries.slice(0, MOST_NAMES).join(", ");
  return entries.length > MOST_NAMES ? `${names} and ${entries.length - MOST_NAMES} more` : names;
}
