import { getPriority } from "node:os";

/** A handler of `ModelThreads` that works until the shared `released` is not 0; gives its thread's nice value. */
export default function hold({ released }: { released: Int32Array }): number {
  Atomics.wait(released, 0, 0);
  return getPriority(0);
}
