import type { FaultCluster } from "./fault-cluster.js";

/** What goes on beside the streams of a cell, and is held against its own promises. */
export interface Beside {
  /** What was wrong while the fault lasted, in words; called once it has begun. */
  during(): Promise<string[]>;
  /** Ends it, when everything is whole again; gives what was wrong, in words. */
  settle(): Promise<string[]>;
}

export type StartBeside = (under: FaultCluster) => Promise<Beside>;
