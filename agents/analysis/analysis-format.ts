import { z } from "zod";
import {
  type AnalysisDatum,
  type AnalysisResult,
  type CriterionResult,
  criterionVerdicts,
} from "#protocol/agents/analysis";
import type { AgentConfig } from "#protocol/agents/config";
import type { AnswerFormat } from "../model/structured-answer.js";

export type AnalysisConfig = AgentConfig["analysis"];
type DataField = AnalysisConfig["data_fields"][number];

/** What a model answers; a part that is not wanted is absent. */
export interface AnalysisAnswer {
  summary?: string;
  data?: Record<string, { rationale: string; value: AnalysisDatum["value"] }>;
  criteria?: Record<string, { rationale: string; result: CriterionResult["result"] }>;
}

/** How an analysis is answered: what the configuration wants, each field and criterion by its name. */
export function analysisFormat({
  summary,
  data_fields: fields,
  criteria,
}: AnalysisConfig): AnswerFormat<AnalysisAnswer> {
  const shape = {
    ...(summary.enabled ? { summary: z.string() } : {}),
    ...(fields.length > 0 ? { data: namedObjects(fields, (field) => ({ value: valueSchema(field) })) } : {}),
    ...(criteria.length > 0 ? { criteria: namedObjects(criteria, () => ({ result: z.enum(criterionVerdicts) })) } : {}),
  };
  return {
    name: "analysis",
    schema: z.strictObject(shape) as z.ZodType<AnalysisAnswer>,
    complaint: (answer) => (answer.summary?.trim() === "" ? "summary is empty" : null),
  };
}

/** One object for each name, whose reasoning stands before what it leads to. */
function namedObjects<T extends { name: string }>(named: readonly T[], more: (of: T) => z.ZodRawShape): z.ZodType {
  const entries = named.map((of) => [of.name, z.strictObject({ rationale: z.string(), ...more(of) })] as const);
  return z.strictObject(Object.fromEntries(entries));
}

/** Null is what the conversation does not say. */
function valueSchema({ type, enum_options: options }: DataField): z.ZodType {
  switch (type) {
    case "boolean":
      return z.boolean().nullable();
    case "number":
      return z.number().nullable();
    case "enum":
      return z.enum(options ?? []).nullable();
    case "text":
      return z.string().nullable();
  }
}

/** What an answer says, in the order of the configuration. Pure. */
export function findingsOf(
  { data_fields: fields, criteria }: AnalysisConfig,
  answer: AnalysisAnswer,
): Pick<AnalysisResult, "summary" | "data" | "criteria_results"> {
  return {
    summary: answer.summary?.trim() ?? null,
    data: fields.map(({ name, type }) => {
      const { value = null, rationale = "" } = answer.data?.[name] ?? {};
      return { name, type, value, rationale };
    }),
    criteria_results: criteria.map(({ name }) => {
      const { result = "unknown", rationale = "" } = answer.criteria?.[name] ?? {};
      return { name, result, rationale };
    }),
  };
}
