import type { SessionItem } from "../agents/session.js";
import type { ConversationPlan } from "./conversation.js";
import type { EndReason } from "./conversation-log.js";
import type { HeldRun } from "./leased-runs.js";

/*
 * Analyses of calls that are over (leased-runs.ts says how runtimes come to them). `controlSubjects.takeAnalysis` takes
 * one, `controlSubjects.finishAnalysis` reports its `AnalysisResult`.
 */

/** Published when there are analyses to take, so that runtimes ask before their interval is over. */
export const analysesQueuedSubject = "parley.events.analyses-queued";

/** Everything that a runtime needs for an analysis; `runId` is the session's id. */
export interface AnalysisJob extends HeldRun {
  /** The session's, without its tools and knowledge. */
  plan: ConversationPlan;
  /** What was said and done, in order; texts of tools are shortened. */
  items: SessionItem[];
  /** How many items before these are left out, since all of them together are too large. */
  omittedItems: number;
  /** Milliseconds since 1970. */
  startedAtEpochMs: number;
  /** Null where nobody knows. */
  endedReason: EndReason | null;
}
