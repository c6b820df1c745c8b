import type { Heartbeat } from "./membership.js";
import type { UsageRecord } from "./control.js";

/**
 * What requests under way have used so far. Each edge, and each runtime of conversations, writes an object every second
 * while there are any; the control plane books it when that process is gone. Content: `OpenUsage`, MessagePack. An
 * object that no control plane came for is deleted in the end.
 */
export const openUsageBucket = { name: "open-usage", maxAgeMs: 7 * 24 * 3600 * 1000 };

/** How often they report, milliseconds: the most that its death can lose. */
export const OPEN_USAGE_INTERVAL_MS = 1000;

export interface OpenUsage {
  /** Their outcome is `partial`; their `usageId` is that of the record which the end of the request publishes. */
  records: UsageRecord[];
}

/** The name of a process's object. One that was started again has another. */
export function openUsageName({ id, epoch }: Pick<Heartbeat, "id" | "epoch">): string {
  return `${id}.${epoch}`;
}
