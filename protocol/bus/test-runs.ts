import type { TestRunResult } from "../agents/test-runs.js";
import type { TestDefinition } from "../agents/tests.js";
import type { ConversationPlan } from "./conversation.js";

/*
 * Runs of agents' tests. The control plane owns records and queue; runtimes (`agents/`) take runs from it, one with
 * each request, and say with every further request which they still hold. A run that nobody says to hold for
 * `TEST_RUN_LEASE_MS` goes to another runtime under a later attempt; of several attempts one has its result stored.
 */

/** How long a run stays with a runtime that says nothing. */
export const TEST_RUN_LEASE_MS = 6000;
/** How often a runtime asks for runs, and says which it holds. */
export const TEST_RUN_INTERVAL_MS = 2000;

/** Published when there are runs to take, so that runtimes ask before their interval is over. */
export const testRunsQueuedSubject = "parley.events.test-runs-queued";

/** An attempt at a run. */
export interface HeldTestRun {
  runId: string;
  attempt: number;
}

/** Asks for a run (`controlSubjects.takeTestRun`), and says what becomes of those that were taken. */
export interface TakeTestRun {
  /** Whether there is room for another one. */
  wantsOne: boolean;
  /** Those that are being run. */
  held: HeldTestRun[];
  /** Those that are given back unfinished. */
  released: HeldTestRun[];
}

/** Everything that a runtime needs for a run. */
export interface TestRunJob extends HeldTestRun {
  definition: TestDefinition;
  /** The draft as it was when the batch was started. Tools have their made-up answers. */
  plan: ConversationPlan;
}

export interface TakeTestRunReply {
  /** Null where there is nothing to run. */
  job: TestRunJob | null;
  /** Of the held ones, those that are somebody else's now, or gone. */
  lost: string[];
}

/** Reports what a run found out (`controlSubjects.finishTestRun`); answered by `Reply<object>`, late ones too. */
export interface FinishTestRun extends HeldTestRun {
  result: TestRunResult;
}
