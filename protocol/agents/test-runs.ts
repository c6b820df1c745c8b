import { z } from "zod";
import { pageEnvelope, pageQuery } from "../paging.js";
import { timestamp } from "./text.js";
import { testEndings, testMessage, testTypes } from "./tests.js";

/*
 * Runs of agents' tests: what a runtime finds out, as it is stored and as the API shows it.
 */

export const testRunStates = ["queued", "running", "passed", "failed", "error"] as const;
export type TestRunState = (typeof testRunStates)[number];

/** Kinds of tools as results name them; null stands for a function that no tool of the agent has. */
const namedToolType = z.enum(["webhook", "client", "integration"]).nullable();
/** Where the answer of a tool came from: the test, the tool's own made-up answers, nowhere, or its endpoint. */
const mockSources = ["test", "tool", "missing", "unmatched", "real"] as const;
export type MockSource = (typeof mockSources)[number];

const transcriptMessage = z.object({
  role: z.enum(["user", "agent"]),
  text: z.string(),
  turn_id: z.int().nullable(),
  node_id: z.string().nullable(),
  created_at: z.string().nullable(),
  seq: z.int().nullable(),
});
export type TranscriptMessage = z.output<typeof transcriptMessage>;

const toolCallRecord = z.object({
  id: z.string(),
  tool_name: z.string(),
  tool_source: z.string(),
  status: z.string(),
  input: z.record(z.string(), z.unknown()),
  output: z.string().nullable(),
  error: z.string().nullable(),
  mocked: z.boolean(),
  mock_source: z.enum(mockSources).nullable(),
  node_id: z.string(),
  turn_id: z.int().nullable(),
  created_at: z.string().nullable(),
  seq: z.int().nullable(),
});
export type ToolCallRecord = z.output<typeof toolCallRecord>;

const assertionResult = z.object({
  kind: z.enum(["tool_call", "forbidden_tool", "ended_by"]),
  target: z.string(),
  tool_id: z.string().nullable(),
  tool_type: namedToolType,
  passed: z.boolean(),
  detail: z.string(),
});
export type AssertionResult = z.output<typeof assertionResult>;

export const conditionVerdicts = ["success", "failure", "unknown"] as const;
const conditionResult = z.object({ name: z.string(), result: z.enum(conditionVerdicts), rationale: z.string() });
export type ConditionResult = z.output<typeof conditionResult>;

const mockGap = z.object({
  tool_name: z.string(),
  tool_id: z.string().nullable(),
  tool_type: namedToolType,
  source: z.enum(["missing", "unmatched"]),
  calls: z.int(),
});
export type MockGap = z.output<typeof mockGap>;

const simulationResult = z.object({
  transcript: z.array(transcriptMessage),
  tool_calls: z.array(toolCallRecord),
  assertions: z.array(assertionResult),
  conditions: z.array(conditionResult),
  summary: z.string(),
  passed: z.boolean(),
});
export type SimulationResult = z.output<typeof simulationResult>;

/** What a run found out; as a runtime reports it. */
const testRunResult = z.object({
  status: z.enum(["passed", "failed", "error"]),
  needs_review: z.boolean(),
  error: z.string(),
  /** `cost_usd` is a decimal in text; null while any part has no price. */
  usage: z.object({ agent_replies: z.int(), cost_usd: z.string().nullable() }),
  agent_reply: z.string(),
  judge_reasoning: z.string(),
  /** What the judge was asked, whole; empty where no judge was needed. */
  judge_prompt: z.string(),
  /** Mean time of the agent's replies, from the caller's message to the end of the text. */
  latency_ms: z.int(),
  simulation_result: simulationResult.nullable(),
  channel: z.enum(["web_voice", "phone_inbound", "phone_outbound"]).nullable(),
  turns_used: z.int(),
  ended_by: z.enum(testEndings).nullable(),
  mock_gaps: z.array(mockGap),
});
export type TestRunResult = z.output<typeof testRunResult>;

/** What a run shows that has no result yet. */
export const noResultYet: Omit<TestRunResult, "status"> = {
  needs_review: false,
  error: "",
  usage: { agent_replies: 0, cost_usd: null },
  agent_reply: "",
  judge_reasoning: "",
  judge_prompt: "",
  latency_ms: 0,
  simulation_result: null,
  channel: null,
  turns_used: 0,
  ended_by: null,
  mock_gaps: [],
};

const runIdentity = {
  run_id: z.string(),
  test_id: z.string(),
  test_name: z.string(),
  agent_id: z.string(),
  batch_id: z.string().nullable(),
  test_type: z.enum(testTypes),
  repeat_index: z.int(),
  status: z.enum(testRunStates),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  config_hash: z.string(),
};

/** A run as its batch shows it. */
const testRun = testRunResult.omit({ judge_prompt: true }).extend(runIdentity);
export type TestRun = z.output<typeof testRun>;

/** A run as it is read alone. */
export const testRunDetail = testRunResult.extend(runIdentity).extend({ conversation: z.array(testMessage) });
export type TestRunDetail = z.output<typeof testRunDetail>;

/** A run as a list shows it: without what was said and judged. */
const testRunSummary = testRun.omit({ agent_reply: true, judge_reasoning: true, simulation_result: true });
export type TestRunSummary = z.output<typeof testRunSummary>;

export const testBatch = z.object({
  batch_id: z.string(),
  agent_id: z.string(),
  status: z.enum(["running", "completed"]),
  completed: z.boolean(),
  passed: z.int(),
  failed: z.int(),
  errors: z.int(),
  /** passed / (passed + failed); null until a run has passed or failed. */
  pass_rate: z.number().nullable(),
  config_hash: z.string(),
  created_at: timestamp,
  runs: z.array(testRun),
});
export type TestBatch = z.output<typeof testBatch>;

/** A batch as a list shows it. */
const testBatchSummary = testBatch.omit({ runs: true }).extend({ total: z.int() });
export type TestBatchSummary = z.output<typeof testBatchSummary>;
export const testBatchList = pageEnvelope.extend({ batches: z.array(testBatchSummary) });

export const testRunList = pageEnvelope.extend({ runs: z.array(testRunSummary) });
/** Query of `GET /v1/agent/test-runs`. */
export const testRunListQuery = pageQuery.extend({
  agent_id: z.string().optional(),
  test_id: z.string().optional(),
  batch_id: z.string().optional(),
  status: z.enum(testRunStates).optional(),
  test_type: z.enum(testTypes).optional(),
});
export type TestRunListQuery = z.output<typeof testRunListQuery>;
