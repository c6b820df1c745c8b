import { z } from "zod";
import { dataFieldTypes } from "./config-values.js";
import { timestamp } from "./text.js";

/*
 * What an analysis after the call finds out, as it is stored, as the API shows it and as webhooks carry it.
 */

export const analysisStates = ["queued", "running", "completed", "skipped", "error"] as const;

/** Why there was nothing to analyze, or nobody to do it. */
const skipReasons = ["caller_never_spoke", "analysis_disabled", "no_language_model"] as const;

/** One value that an agent wants to know of each call. */
export const analysisDatum = z.object({
  name: z.string(),
  type: z.enum(dataFieldTypes),
  /** Null where the conversation does not say. */
  value: z.union([z.boolean(), z.number(), z.string()]).nullable(),
  rationale: z.string(),
});
export type AnalysisDatum = z.output<typeof analysisDatum>;

export const criterionVerdicts = ["success", "failure", "unknown"] as const;
/** How a call did by one of the criteria of its agent. */
export const criterionResult = z.object({ name: z.string(), result: z.enum(criterionVerdicts), rationale: z.string() });
export type CriterionResult = z.output<typeof criterionResult>;

const findings = {
  /** Null where none was wanted. */
  summary: z.string().nullable(),
  data: z.array(analysisDatum),
  criteria_results: z.array(criterionResult),
  /** Cause of an `error`. */
  error: z.string().nullable(),
  skip_reason: z.enum(skipReasons).nullable(),
  /** Language model that was asked. */
  model: z.string().nullable(),
  /** US dollars as a decimal in text; null where the model has no price, or its endpoint does not count tokens. */
  cost_usd: z.string().nullable(),
};

/** What came of an analysis; as a runtime reports it. */
const analysisResult = z.object({ status: z.enum(["completed", "skipped", "error"]), ...findings });
export type AnalysisResult = z.output<typeof analysisResult>;

/** What an analysis shows that has no result yet. */
export const noFindings: Omit<AnalysisResult, "status"> = {
  summary: null,
  data: [],
  criteria_results: [],
  error: null,
  skip_reason: null,
  model: null,
  cost_usd: null,
};

/** An analysis as its session shows it. */
export const sessionAnalysis = z.object({
  status: z.enum(analysisStates),
  ...findings,
  /** Null until there is a result. */
  finished_at: timestamp.nullable(),
});
export type SessionAnalysis = z.output<typeof sessionAnalysis>;
