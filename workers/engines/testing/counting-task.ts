import type { TaskParts } from "../model-threads.js";

/** A handler of `ModelThreads` that counts up to `count`, each number a part, and waits after `waitsAfter` until it is not wanted. */
export default function countUp({
  count,
  waitsAfter,
  unwanted,
  port,
}: { count: number; waitsAfter?: number } & TaskParts): string {
  try {
    for (let part = 1; part <= count; part += 1) {
      port.postMessage(part);
      if (part === waitsAfter) Atomics.wait(unwanted, 0, 0);
      if (Atomics.load(unwanted, 0) !== 0) return "stopped";
    }
    if (count < 0) throw new RangeError("cannot count to less than nothing");
    return "all";
  } finally {
    port.postMessage(null);
    port.close();
  }
}
