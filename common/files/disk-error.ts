import { statfsSync } from "node:fs";

const meanings: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the disk",
  EDQUOT: "this user's share of the disk is used up",
  EROFS: "the disk is mounted read-only",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EIO: "the disk fails",
};

/**
 * What keeps a file from being written, in words; null for an error that is not about the disk, or that names a file
 * which is not below `folder`, where one is given.
 */
export function diskProblem(error: unknown, folder?: string): string | null {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return null;
  if (folder !== undefined && "path" in error && !String(error.path).startsWith(folder)) return null;
  // A port that may not be listened on is no matter of disks.
  return error.syscall === "listen" ? null : (meanings[String(error.code)] ?? null);
}

/** Bytes that this user may still write on the disk that holds `path`, which must exist. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
