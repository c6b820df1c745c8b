import type { Db } from "../database/database.js";

/**
 * Plain JSON of what a configuration refers to, as it is at one moment: enough to run a session without asking again.
 */
export interface Attachments {
  tools: readonly unknown[];
  knowledge: readonly unknown[];
}

/** One kind of thing that a configuration refers to by id. `step` is the transaction that writes the configuration. */
export interface AttachableKind {
  /** Gives those of the ids that are the team's, and keeps them from being deleted until the transaction ends. */
  hold(tx: Db, teamId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Copies for a published version, in the order of the ids; missing ones are left out. */
  freeze(tx: Db, teamId: string, ids: readonly string[]): Promise<readonly unknown[]>;
}

export interface Attachables {
  tools: AttachableKind;
  knowledge: AttachableKind;
}
