import { type MadeCall, judgeToolTest } from "./expected-calls.js";
import { promptText, replyFormat, replyQuestion } from "./judge.js";
import { testedTool } from "./named-tool.js";
import { type Finding, type RunParts, TestRunError } from "./run-parts.js";
import { askStructured } from "../model/structured-answer.js";
import type { CallInText, TextConversation } from "./text-conversation.js";
import { transcriptText } from "./transcript-text.js";

/** What says how to get a judge. */
const NO_JUDGE =
  "No language model is configured that could judge this test: set LLM_BASE_URL and LLM_MODEL, or AGENT_TEST_LLM_BASE_URL and AGENT_TEST_LLM_MODEL, or give the agent a model of its own";

/** Runs a test whose conversation is written down: one reply, judged by a model or by the calls in it. */
export async function runScripted(parts: RunParts): Promise<Finding> {
  return parts.definition.test_type === "tool" ? await runToolTest(parts) : await runReplyTest(parts);
}

async function runToolTest(parts: RunParts): Promise<Finding> {
  const { definition, tools, named } = parts;
  const { referenced_tool: tool, tool_parameters: parameters, verify_absence: mustBeAbsent } = definition;
  if (tool === null) throw new TestRunError("The test names no tool");
  const test = { tool, parameters, mustBeAbsent };
  const made = (calls: readonly CallInText[]): MadeCall[] => callsOf(calls, named);
  // A call that decides needs no answer.
  const isDecided = (calls: readonly CallInText[]): boolean => judgeToolTest(test, made(calls)).passed !== mustBeAbsent;
  const conversation = await reply(parts, isDecided);
  const { passed, reasoning } = judgeToolTest(test, made(conversation.calls));
  const hasGaps = tools.gaps.length > 0;
  return {
    status: passed && !hasGaps ? "passed" : "failed",
    needs_review: hasGaps,
    judge_reasoning: reasoning,
    agent_reply: replyText(conversation),
    turns_used: 1,
  };
}

async function runReplyTest(parts: RunParts): Promise<Finding> {
  const { definition, models, tools, signal } = parts;
  const judge = models.structured("judge", replyFormat);
  if (judge === null) throw new TestRunError(NO_JUDGE);
  const conversation = await reply(parts);
  const question = replyQuestion(definition, {
    before: transcriptText(
      definition.conversation.map((message, seq) => ({ ...message, seq })),
      [],
    ),
    reply: transcriptText(
      conversation.transcript.filter(({ role }) => role === "agent"),
      conversation.calls,
    ),
  });
  const { verdict, reasoning } = await askStructured(judge, replyFormat, question, signal);
  const hasGaps = tools.gaps.length > 0;
  return {
    status: verdict === "success" && !hasGaps ? "passed" : "failed",
    needs_review: verdict === "undecided" || hasGaps,
    judge_reasoning: reasoning,
    judge_prompt: promptText(question),
    agent_reply: replyText(conversation),
    turns_used: 1,
  };
}

/** Has the agent answer the end of the script. */
async function reply(
  parts: RunParts,
  isDecided?: (calls: readonly CallInText[]) => boolean,
): Promise<TextConversation> {
  const past = parts.past();
  if (past.lastWords === null) throw new TestRunError("The test's conversation must end with the user");
  const conversation = parts.open(past, isDecided);
  await conversation.take({ type: "typed", text: past.lastWords });
  parts.signal.throwIfAborted();
  if (conversation.modelFailure !== null)
    throw new TestRunError(`The agent's language model failed: ${conversation.modelFailure}`);
  return conversation;
}

function replyText({ transcript }: TextConversation): string {
  return transcript
    .filter(({ role }) => role === "agent")
    .map(({ text }) => text)
    .join("\n");
}

/** The calls with the tools that they are of. */
export function callsOf(calls: readonly CallInText[], named: RunParts["named"]): MadeCall[] {
  return calls.map(({ name, input }) => ({ tool: testedTool(name, named.get(name)), input }));
}
