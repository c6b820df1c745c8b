/*
 * Work that the control plane keeps in its records and runtimes (`agents/`) do: runs of agents' tests, analyses of
 * calls. A runtime takes one run with each request, and says with every further request which it still holds. A run
 * that nobody says to hold for `RUN_LEASE_MS` goes to another runtime under a later attempt; of several attempts one
 * has its result stored.
 */

/** How long a run stays with a runtime that says nothing. */
export const RUN_LEASE_MS = 6000;
/** How often a runtime asks for runs, and says which it holds. */
export const RUN_INTERVAL_MS = 2000;

/** An attempt at a run. */
export interface HeldRun {
  runId: string;
  attempt: number;
}

/** Asks for a run, and says what becomes of those that were taken. */
export interface TakeRun {
  /** Whether there is room for another one. */
  wantsOne: boolean;
  /** Those that are under way. */
  held: HeldRun[];
  /** Those that are given back unfinished. */
  released: HeldRun[];
}

export interface TakeRunReply<Job extends HeldRun> {
  /** Null where there is nothing to do. */
  job: Job | null;
  /** Of the held ones, those that are somebody else's now, or gone. */
  lost: string[];
}

/** Reports what came of a run; answered by `Reply<object>`, late ones too. */
export interface FinishRun<Result> extends HeldRun {
  result: Result;
}
