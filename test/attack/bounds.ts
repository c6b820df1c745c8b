import type { WatchedRole } from "./observation.js";

/**
 * The most memory of its own that a role may ever have, megabytes: program files that it has mapped are not counted.
 */
export const memoryBoundsMb: Record<WatchedRole, number> = { edge: 600, "control-plane": 700, "scheduler-1": 400 };

/** The longest that one piece of work may hold a role's event loop, milliseconds. */
export const STALL_BOUND_MS = 200;
