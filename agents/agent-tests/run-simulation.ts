import type { AssertionResult, ConditionResult, TestRunResult, ToolCallRecord } from "#protocol/agents/test-runs";
import type { EndReason } from "#protocol/bus/conversation-log";
import { checkAssertions } from "./expected-calls.js";
import { conditionResults, conditionsFormat, conditionsQuestion, promptText } from "./judge.js";
import { callsOf } from "./run-scripted.js";
import { type Finding, type RunParts, TestRunError } from "./run-parts.js";
import { callerFormat, callerQuestion, MAX_CALLER_CHARACTERS } from "./simulated-caller.js";
import { askStructured } from "../model/structured-answer.js";
import type { CallInText, TextConversation } from "./text-conversation.js";
import { transcriptText } from "./transcript-text.js";

type Ending = NonNullable<TestRunResult["ended_by"]>;
type Simulation = NonNullable<RunParts["definition"]["simulation"]>;

const NO_CALLER =
  "No language model is configured that could play the caller: set LLM_BASE_URL and LLM_MODEL, or AGENT_TEST_LLM_BASE_URL and AGENT_TEST_LLM_MODEL, or give the agent a model of its own";

/** Runs a conversation with a simulated caller, then checks what the test asserts and has its conditions judged. */
export async function runSimulation(parts: RunParts): Promise<Finding> {
  const { definition, tools, named, signal } = parts;
  const { simulation } = definition;
  if (simulation === null) throw new TestRunError("The test has no simulation");
  const conversation = parts.open(null);
  const { endedBy, turnsUsed } = await converse(parts, simulation, conversation);
  signal.throwIfAborted();
  const assertions = checkAssertions(simulation.assertions, callsOf(conversation.calls, named), endedBy);
  const judged = await judgeConditions(parts, simulation, conversation, endedBy);
  const gaps = tools.gaps;
  const verdict = judgeSimulation({
    assertions,
    conditions: judged.conditions,
    gaps: gaps.length,
    endedBy,
    simulation,
  });
  return {
    ...verdict,
    error: verdict.status === "error" ? errorOf(conversation) : "",
    judge_reasoning: judged.summary,
    judge_prompt: judged.prompt,
    channel: "web_voice",
    turns_used: turnsUsed,
    ended_by: endedBy,
    simulation_result: {
      transcript: conversation.transcript,
      tool_calls: conversation.calls.map((call) => toRecord(call, parts)),
      ...{ assertions, conditions: judged.conditions, summary: judged.summary },
      passed: verdict.status === "passed",
    },
  };
}

/** The outcome of what was checked and judged. Pure. */
export function judgeSimulation(found: {
  assertions: readonly AssertionResult[];
  conditions: readonly ConditionResult[];
  /** Tools without a prepared answer. */
  gaps: number;
  endedBy: Ending;
  simulation: Pick<Simulation, "assertions">;
}): Pick<TestRunResult, "status" | "needs_review"> {
  const { assertions, conditions, gaps, endedBy, simulation } = found;
  if (endedBy === "error" && simulation.assertions.ended_by !== "error")
    return { status: "error", needs_review: false };
  const passed =
    gaps === 0 &&
    assertions.every((assertion) => assertion.passed) &&
    conditions.every(({ result }) => result === "success");
  return {
    status: passed ? "passed" : "failed",
    needs_review: gaps > 0 || conditions.some(({ result }) => result === "unknown"),
  };
}

/** Lets caller and agent take turns until one of them, or the test, ends it. */
async function converse(
  { models, signal }: RunParts,
  { scenario, max_turns: maxTurns }: Simulation,
  conversation: TextConversation,
): Promise<{ endedBy: Ending; turnsUsed: number }> {
  const caller = models.structured("caller", callerFormat);
  if (caller === null) throw new TestRunError(NO_CALLER);
  await conversation.take({ type: "caller-joined" });
  for (let turnsUsed = 0; ; turnsUsed++) {
    signal.throwIfAborted();
    if (conversation.end !== null) return { endedBy: endingOf(conversation.end.reason), turnsUsed };
    if (turnsUsed === maxTurns) return { endedBy: "max_turns", turnsUsed };
    // The caller knows nothing of the agent's tools.
    const question = callerQuestion(scenario, transcriptText(conversation.transcript, []));
    const turn = await askStructured(caller, callerFormat, question, signal);
    const message = turn.message.slice(0, MAX_CALLER_CHARACTERS).trim();
    if (message !== "") await conversation.take({ type: "typed", text: message });
    if (!turn.ends_call || conversation.end !== null) continue;
    signal.throwIfAborted();
    await conversation.take({ type: "hang-up" });
    return { endedBy: "user", turnsUsed: turnsUsed + (message === "" ? 0 : 1) };
  }
}

function endingOf(reason: EndReason): Ending {
  if (reason === "agent_hung_up" || reason === "silence") return "agent";
  if (reason === "caller_left") return "user";
  return reason === "max_duration" ? "timeout" : "error";
}

function errorOf({ end, modelFailure }: TextConversation): string {
  return `The conversation ended with ${end?.reason ?? "an error"}: ${modelFailure ?? end?.detail ?? "no detail"}`;
}

/** Has the conditions judged, where there are any and there is somebody to ask. */
async function judgeConditions(
  { models, signal }: RunParts,
  simulation: Simulation,
  conversation: TextConversation,
  endedBy: Ending,
): Promise<{ conditions: ConditionResult[]; summary: string; prompt: string }> {
  const conditions = simulation.success_conditions;
  if (conditions.length === 0) return { conditions: [], summary: "", prompt: "" };
  const format = conditionsFormat(conditions.length);
  const judge = models.structured("judge", format);
  if (judge === null) throw new TestRunError(NO_CALLER);
  const transcript = transcriptText(conversation.transcript, conversation.calls);
  const question = conditionsQuestion(simulation, { transcript, endedBy });
  const verdict = await askStructured(judge, format, question, signal);
  return { conditions: conditionResults(conditions, verdict), summary: verdict.summary, prompt: promptText(question) };
}

function toRecord(call: CallInText, { named, tools }: RunParts): ToolCallRecord {
  const tool = named.get(call.name);
  const source = tools.sourceOf(call.callId);
  return {
    id: call.callId,
    tool_name: call.name,
    tool_source: tool === undefined ? "" : tool.kind === "builtin" ? "builtin" : tool.tool.toolType,
    ...{ status: call.status, input: call.input, output: call.output, error: call.error },
    mocked: source === "test" || source === "tool",
    mock_source: source,
    ...{ node_id: "", turn_id: call.turnId, created_at: null, seq: call.seq },
  };
}
