import type { Config } from "#common/config/config";
import type { Logger } from "#common/log";
import type { StreamingOutbound } from "#common/outbound/outbound";
import type { Sealer } from "#common/secrets/sealer";
import type { TokenCounter } from "#common/text/token-count";
import { type AnalysisResult, noFindings } from "#protocol/agents/analysis";
import type { AnalysisJob } from "#protocol/bus/analyses";
import { ModelError } from "../model/language-model.js";
import { chooseModel, type ModelSettings } from "../model/model-choice.js";
import { openChosenModel } from "../model/open-language-model.js";
import type { ModelTimeouts } from "../model/openai-model.js";
import { askStructured, structuredBody } from "../model/structured-answer.js";
import { UsageMeter } from "../model/usage-meter.js";
import { analysisFormat, findingsOf } from "./analysis-format.js";
import { analysisQuestion } from "./analysis-question.js";
import { cutLines, transcriptLines } from "./transcript-lines.js";

/** What all analyses of a runtime share. */
export interface AnalysisContext {
  config: ModelSettings & Pick<Config, "LLM_PRICES" | "AGENT_ANALYSIS_TOKENS">;
  /** For the agent's own model, whose address a user chose. */
  outbound: StreamingOutbound;
  sealer: Sealer;
  log: Logger;
  countTokens: TokenCounter;
}

/** Nobody waits on the line: a model may take its time over a long conversation. */
const timeouts: ModelTimeouts = { firstTokenMs: 120_000, idleMs: 60_000, totalMs: 300_000 };

/**
 * Has the agent's language model analyze a conversation that is over. Rejects where `signal` fires; every other trouble
 * is a result.
 */
export async function analyze(
  context: AnalysisContext,
  job: AnalysisJob,
  signal: AbortSignal,
): Promise<AnalysisResult> {
  const { config, sealer, countTokens } = context;
  const { plan, items, omittedItems: omitted } = job;
  const { analysis } = plan.config;
  const log = context.log.child({ sessionId: plan.sessionId });
  const choice = chooseModel(plan, config, sealer);
  if (choice.kind === "retrieval") return { ...noFindings, status: "skipped", skip_reason: "no_language_model" };
  const format = analysisFormat(analysis);
  const meter = new UsageMeter(config.LLM_PRICES);
  const model = openChosenModel(choice, structuredBody(format), {
    ...{ ...context, plan, log, timeouts },
    wrapClient: (client, name) => meter.metered(client, name),
  });
  try {
    const lines = cutLines(transcriptLines(items), { omitted, maxTokens: config.AGENT_ANALYSIS_TOKENS, countTokens });
    const answer = await askStructured(model, format, analysisQuestion(job, lines), signal);
    const findings = findingsOf(analysis, answer);
    return { ...noFindings, ...findings, status: "completed", model: model.name, cost_usd: meter.costUsd };
  } catch (error) {
    signal.throwIfAborted();
    return { ...noFindings, status: "error", error: messageOf(error, log), model: model.name, cost_usd: meter.costUsd };
  } finally {
    model.close();
  }
}

function messageOf(error: unknown, log: Logger): string {
  if (error instanceof ModelError) return `The language model failed: ${error.message}`;
  log.error({ err: error }, "a session could not be analyzed");
  return "The session could not be analyzed: internal error";
}
