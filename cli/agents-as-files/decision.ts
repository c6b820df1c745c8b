import { CommandError } from "../command.js";
import type { RecordKind, SyncedRecord } from "./document.js";

/** Hashes of both sides now, null for a side that has nothing, and what both last agreed on. */
export interface Sides {
  file: string | null;
  server: string | null;
  synced: SyncedRecord | null;
}

/** `conflict`: both sides have changed, or what the file describes is gone from the service. */
export type PushStep = "create" | "update" | "unchanged" | "conflict";
export type PullStep = "write" | "unchanged" | "conflict";

/** What a push does with a file. What changed on the service alone is a pull's. `force`: the file wins. */
export function decidePush({ file, server, synced }: Sides, force: boolean): PushStep {
  if (synced === null) return "create";
  if (server === null) return force ? "create" : "conflict";
  if (server === synced.server) return file === synced.file ? "unchanged" : "update";
  if (force) return "update";
  return file === synced.file ? "unchanged" : "conflict";
}

/** What a pull does with a record of the service. What changed in the file alone is a push's. `force`: the service wins. */
export function decidePull({ file, server, synced }: Sides, force: boolean): PullStep {
  if (file === null || synced === null) return "write";
  if (file === synced.file) return server === synced.server ? "unchanged" : "write";
  if (force) return "write";
  return server === synced.server ? "unchanged" : "conflict";
}

/** Throws CommandError where any file conflicts; `what` says how. */
export function refuseConflicts(
  files: readonly { kind: RecordKind; name: string; step: PushStep | PullStep }[],
  what: string,
): void {
  const conflicts = files.filter(({ step }) => step === "conflict").map(({ kind, name }) => `  ${kind}/${name}.yaml`);
  if (conflicts.length === 0) return;
  throw new CommandError(
    `${what}:\n${conflicts.join("\n")}\npull --force takes the service's, push --force takes the files'`,
  );
}
