import type { BatchDone, SchedulerInbound, Verdict, WorkerInbound } from "#protocol/bus/scheduling";
import type { WorkerHeartbeat } from "../workers/worker-registry.js";

/** Everything that can happen to a scheduler. */
export type SchedulerEvent =
  | SchedulerInbound
  | BatchDone
  | { type: "worker-seen"; heartbeat: WorkerHeartbeat }
  | { type: "worker-lost"; workerId: string; epoch: string }
  | { type: "edge-lost"; ownerId: string }
  /** Messages may have been missed: whatever runs must show itself soon. */
  | { type: "bus-restored" }
  /** No new streams from here on. */
  | { type: "drain" }
  /** Gives everything that still waits back to the edges. */
  | { type: "abandon" }
  /** Time has passed; due at `nextWakeMs`. */
  | { type: "tick" };

/** Everything that a scheduler does: messages to send. */
export type SchedulerEffect =
  | { to: "worker"; workerId: string; message: WorkerInbound }
  | { to: "edge"; ownerId: string; message: Verdict };
