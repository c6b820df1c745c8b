import { getPriority } from "node:os";

/**
 * A handler of `ModelThreads` that works until the shared `released` is not 0; gives its thread's nice value. The first
 * of all threads that share `failed` fails at once.
 */
export default function hold({ released, failed }: { released: Int32Array; failed?: Int32Array }): number {
  if (failed !== undefined && Atomics.add(failed, 0, 1) === 0) throw new RangeError("the first thread fails");
  Atomics.wait(released, 0, 0);
  return getPriority(0);
}
