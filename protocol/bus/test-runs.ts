import type { TestDefinition } from "../agents/tests.js";
import type { ConversationPlan } from "./conversation.js";
import type { HeldRun } from "./leased-runs.js";

/*
 * Runs of agents' tests (leased-runs.ts says how runtimes come to them). `controlSubjects.takeTestRun` takes one,
 * `controlSubjects.finishTestRun` reports its `TestRunResult`.
 */

/** Published when there are runs to take, so that runtimes ask before their interval is over. */
export const testRunsQueuedSubject = "parley.events.test-runs-queued";

/** Everything that a runtime needs for a run. */
export interface TestRunJob extends HeldRun {
  definition: TestDefinition;
  /** The draft as it was when the batch was started. Tools have their made-up answers. */
  plan: ConversationPlan;
}
