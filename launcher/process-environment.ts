import type { Role } from "#protocol/bus/membership";

/**
 * Has glibc give large buffers back to the system as soon as they are freed (mallopt(3)). By itself it keeps ever
 * larger ones for later, and a role that many large requests have passed through stays hundreds of megabytes larger
 * than what it holds. Not for workers: what their engines allocate again for every batch would be mapped anew each
 * time.
 */
const givesMemoryBack = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_ARENA_MAX: "2" };

/** A worker's threads have few heaps between them: what one has freed another may use, 40 MB after some speech. */
const sharesHeaps = { MALLOC_ARENA_MAX: "2" };

/**
 * Audio passes through as buffers outside of the heap, which only a collection gives back: a small young generation is
 * collected often enough for them. With the usual one of 16 MB, V8 collected the whole heap more than once a second
 * while the processors were full: a tenth of an edge's processor time, and as much again in its helping threads.
 */
const collectsOften = { NODE_OPTIONS: "--max-semi-space-size=2" };

/** LiveKit's library writes lines for its own makers otherwise, between those of the role. */
const logsLess = { NODE_ENV: "production" };

/**
 * What glibc and Node.js are to know of a role's process, as variables of its environment. Compose and the chart say the
 * same (a test compares).
 */
export function processEnvironment(role: Role): Record<string, string> {
  return {
    ...(role === "worker" ? sharesHeaps : givesMemoryBack),
    ...(role === "worker" || role === "edge" ? collectsOften : {}),
    ...(role === "agent" ? logsLess : {}),
  };
}
