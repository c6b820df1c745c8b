import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { isMainThread } from "node:worker_threads";

/**
 * Lets every other thread of the machine go before the calling one: to be called at the start of a thread that works on
 * large things which strangers sent, so that the event loop beside it, and live speech, do not wait for it. Linux alone
 * gives threads a priority of their own (sched(7), "The nice value"); elsewhere nothing changes.
 */
export function workInBackground(): void {
  setThreadPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}

/** Gives the calling thread a nice value, which may not be below the one it has; nothing in the main thread. */
export function setThreadPriority(nice: number): void {
  if (isMainThread || process.platform !== "linux") return;
  // proc(5): `<process>/task/<thread>` of whoever reads it.
  const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  setPriority(threadId, nice);
}
