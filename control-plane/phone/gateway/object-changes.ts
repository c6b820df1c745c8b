import { isDeepStrictEqual } from "node:util";
import type { Stored } from "#common/livekit/livekit-sip";

/** What makes the objects of one kind that a number has into the one that it should have. */
export interface ObjectChanges<T> {
  /** To be made, or with an id to be replaced; null where all is as it should be. */
  save: { id: string | null; value: T } | null;
  /** The one that stays as it is; null where one is saved, or none is wanted. */
  unchangedId: string | null;
  deleteIds: string[];
}

/**
 * Compares what a number should have with what it has. Of several objects the oldest stays: two processes that made one
 * each at the same time both leave the same one.
 */
export function objectChanges<T extends object>(wanted: T | null, found: readonly Stored<T>[]): ObjectChanges<T> {
  const ids = found.map(({ id }) => id).sort();
  if (wanted === null) return { save: null, unchangedId: null, deleteIds: ids };
  const [stays, ...deleteIds] = ids;
  const current = found.find(({ id }) => id === stays);
  if (current !== undefined && isSame(wanted, current)) return { save: null, unchangedId: current.id, deleteIds };
  return { save: { id: stays ?? null, value: wanted }, unchangedId: null, deleteIds };
}

/** Passwords are left out: a server need not show them, and the metadata tells when one was changed. */
function isSame<T extends object>(wanted: T, found: Stored<T>): boolean {
  const visible = (value: object): object =>
    Object.fromEntries(Object.entries(value).filter(([name]) => name !== "id" && name !== "authPassword"));
  return isDeepStrictEqual(visible(wanted), visible(found));
}
