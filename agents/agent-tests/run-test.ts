import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { TokenCounter } from "#common/text/token-count";
import { noResultYet, type TestRunResult } from "#protocol/agents/test-runs";
import type { ConversationPlan } from "#protocol/bus/conversation";
import type { TestRunJob } from "#protocol/bus/test-runs";
import { requestsOf } from "../conversation/prepare-request.js";
import { Dialogue } from "../dialogue/dialogue.js";
import { resumeDialogue } from "../dialogue/resume.js";
import type { DialogueSettings } from "../dialogue/settings.js";
import { createKnowledge } from "../knowledge/create-knowledge.js";
import { ModelError } from "../model/language-model.js";
import { dialogueSettingsOf } from "../prompt/dialogue-settings.js";
import { namedTools } from "../tools/named-tools.js";
import { openTools } from "../tools/open-tools.js";
import { noMocks } from "./mock-answer.js";
import { type Finding, type RunParts, TestRunError } from "./run-parts.js";
import { runScripted } from "./run-scripted.js";
import { runSimulation } from "./run-simulation.js";
import { type ScriptedPast, scriptedPast } from "./scripted-past.js";
import { TestedTools } from "./tested-tools.js";
import { type TestModelOptions, type TestModels, openTestModels } from "./test-models.js";
import { TextConversation } from "./text-conversation.js";

/** What all runs of a runtime share. */
export interface TestRunContext extends Omit<TestModelOptions, "plan" | "outbound"> {
  bus: Pick<Bus, "request">;
  clock: Clock;
  log: Logger;
  outbound: TestModelOptions["outbound"] & Parameters<typeof openTools>[0]["outbound"];
  countTokens: TokenCounter;
  /** Milliseconds since 1970. */
  epochMs(): number;
}

/** How long a run may take. */
const MAX_RUN_MS = 10 * 60_000;

/** Runs a test. Rejects where `signal` fires; every other trouble is a result. */
export async function runTest(
  context: TestRunContext,
  { definition, plan }: TestRunJob,
  signal: AbortSignal,
): Promise<TestRunResult> {
  const log = context.log.child({ runId: plan.sessionId });
  const models = openTestModels({ ...context, plan, log });
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  signal.addEventListener("abort", stop, { once: true });
  const cancelLimit = context.clock.after(MAX_RUN_MS, stop);
  const parts = openParts(context, { plan, definition, models, log }, limit.signal);
  const opened: TextConversation[] = [];
  const counting: RunParts = {
    ...parts,
    open(...given) {
      const conversation = parts.open(...given);
      opened.push(conversation);
      return conversation;
    },
  };
  let finding: Finding;
  try {
    finding = await (definition.test_type === "simulation" ? runSimulation(counting) : runScripted(counting));
  } catch (error) {
    if (signal.aborted) throw error;
    const isSimulation = definition.test_type === "simulation";
    finding = {
      ...{ status: "error", error: messageOf(error, limit.signal, log) },
      ended_by: limit.signal.aborted && isSimulation ? "timeout" : null,
    };
  } finally {
    models.close();
    cancelLimit();
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  return {
    ...noResultYet,
    latency_ms: opened[0]?.latencyMs ?? 0,
    mock_gaps: parts.tools.gaps,
    ...finding,
    usage: { agent_replies: opened[0]?.agentReplies ?? 0, cost_usd: models.meter.costUsd },
  };
}

function messageOf(error: unknown, limit: AbortSignal, log: Logger): string {
  if (limit.aborted) return `It took longer than ${MAX_RUN_MS / 60_000} minutes`;
  if (error instanceof TestRunError) return error.message;
  if (error instanceof ModelError) return `The language model failed: ${error.message}`;
  log.error({ err: error }, "a test could not be run");
  return "The test could not be run: internal error";
}

function openParts(
  { bus, clock, outbound, sealer, countTokens, epochMs }: TestRunContext,
  given: { plan: ConversationPlan; definition: TestRunJob["definition"]; models: TestModels; log: Logger },
  signal: AbortSignal,
): RunParts {
  const { plan, definition, models, log } = given;
  const named = namedTools(plan);
  const nobody = (): Promise<never> => Promise.reject(new Error("no caller's program takes part in a test"));
  const tools = new TestedTools({
    named,
    mocks: definition.simulation?.tool_mocks ?? noMocks,
    real: openTools({ plan, clock, outbound, sealer, log, callClient: nobody }),
  });
  const prepareRequest = requestsOf(plan, createKnowledge({ bus, plan, log, clock }), countTokens);
  const settings = dialogueSettingsOf(plan);
  const nowEpochMs = epochMs();
  return {
    ...{ definition, models, tools, signal, named },
    past: () => scriptedPast(definition.conversation, nowEpochMs),
    open(past, isDecided) {
      return new TextConversation({
        dialogue: openDialogue(settings, models.agent.name, past, nowEpochMs),
        ...{ model: models.agent, prepareRequest, tools, clock, signal },
        ...(isDecided === undefined ? {} : { isDecided }),
        onError: (error) => log.error({ err: error }, "a request to the language model failed within"),
      });
    },
  };
}

/** A script says all that was said: the agent greets nobody in it. */
function openDialogue(
  settings: DialogueSettings,
  responder: string,
  past: ScriptedPast | null,
  nowEpochMs: number,
): Dialogue {
  if (past === null) return new Dialogue({ settings, nowMs: 0, responder });
  const silent: DialogueSettings = { ...settings, firstMessage: { mode: "off" } };
  return resumeDialogue(past.records, { settings: silent, nowMs: 0, nowEpochMs, responder });
}
