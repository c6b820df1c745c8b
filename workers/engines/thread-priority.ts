import { setThreadPriority } from "#common/threads/background";

/** A handler of `ModelThreads` that gives its thread a nice value. */
export default function lower({ nice }: { nice: number }): void {
  setThreadPriority(nice);
}
