import { noFindings, type SessionAnalysis } from "#protocol/agents/analysis";
import type { AnalysisRow } from "./tables.js";

/** An analysis as its session shows it. */
export function toSessionAnalysis({ status, result, finishedAt }: AnalysisRow): SessionAnalysis {
  return {
    ...(result ?? noFindings),
    status,
    finished_at: result === null ? null : (finishedAt?.toISOString() ?? null),
  };
}
