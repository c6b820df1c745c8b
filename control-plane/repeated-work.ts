import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";

export interface RepeatedWorkOptions {
  clock: Clock;
  log: Logger;
  /** Logged with the error where `work` rejects. */
  problem: string;
  /** After work that rejected. */
  retryMs: number;
  /** Resolves with how long to wait until it is done again, in milliseconds. */
  work: () => Promise<number>;
}

/**
 * Does work on the database at once, and again and again until it is stopped. What could not be done is tried the next
 * time.
 */
export function repeatWork({ clock, log, problem, retryMs, work }: RepeatedWorkOptions): { stop(): void } {
  let isStopped = false;
  let cancel: () => void = () => undefined;
  const again = async (): Promise<void> => {
    let waitMs = retryMs;
    try {
      waitMs = await work();
    } catch (error) {
      // The database's own error: drizzle's wrapper quotes the query's values.
      if (!isStopped) log.warn({ err: error instanceof Error ? (error.cause ?? error) : error }, problem);
    }
    if (!isStopped) cancel = clock.after(waitMs, () => void again());
  };
  void again();
  return {
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
