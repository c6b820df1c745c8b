import type { Role } from "#protocol/bus/membership";

/**
 * Has glibc give large buffers back to the system as soon as they are freed, and threads share two heaps (mallopt(3)).
 * By itself it keeps ever larger ones for later: a role that many large requests have passed through stays hundreds of
 * megabytes larger than what it holds, and a worker the 70 MB that opening its graphs took. What engines allocate anew
 * for every batch lies in onnxruntime's own arena, which keeps it.
 */
const givesMemoryBack = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_ARENA_MAX: "2" };

/**
 * The same for what V8 takes while it compiles the embedded database, in pieces of 32 KB and more: 30 MB of holes would
 * be left between what stays.
 */
const givesCompilersMemoryBack = { MALLOC_MMAP_THRESHOLD_: "32768" };

/**
 * Audio passes through as buffers outside of the heap, which only a collection gives back: a small young generation is
 * collected often enough for them. With the usual one of 16 MB, V8 collected the whole heap more than once a second
 * while the processors were full: a tenth of an edge's processor time, and as much again in its helping threads. A
 * control plane would keep the 30 MB that its young generation grows to at its start.
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
    ...givesMemoryBack,
    ...(role === "control-plane" ? givesCompilersMemoryBack : {}),
    ...(role === "worker" || role === "edge" || role === "control-plane" ? collectsOften : {}),
    ...(role === "agent" ? logsLess : {}),
  };
}
