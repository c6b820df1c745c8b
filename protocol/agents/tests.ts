import { z } from "zod";
import { pageEnvelope, pageQuery } from "../paging.js";
import { recordText } from "../text.js";
import { reference, timestamp } from "./text.js";

export const testTypes = ["next_reply", "tool", "simulation"] as const;
/** How a conversation of a simulation may end; a test asks for one of them. */
export const testEndings = ["agent", "user", "transfer", "max_turns", "timeout", "error"] as const;
/** Kinds of tools that a test may name; `system` are those of the platform itself. */
const testToolTypes = ["webhook", "client", "integration", "system"] as const;

/** Runs that one request may start. */
export const MAX_TEST_RUNS = 1000;

const id = recordText(1, 128);
const example = recordText(0, 400);

export const testMessage = z.strictObject({
  role: z.enum(["user", "agent"]).default("user"),
  text: recordText(1, 2000),
});

/** A tool as a test names it. */
export const testTool = z.strictObject({
  id,
  name: recordText(0, 120).default(""),
  type: z.enum(testToolTypes).default("webhook"),
  description: recordText(0, 2000).default(""),
});

/** A parameter that a call must have had, and with which value. */
const parameter = z.strictObject({
  name: recordText(1, 64),
  value: z.union([recordText(0, 2000), z.number(), z.boolean()]),
});

const expectedCall = z
  .strictObject({
    tool: testTool,
    params: z.array(parameter).max(50).default([]),
    min_calls: z.int().min(0).max(50).default(1),
    max_calls: z.int().min(0).max(50).default(50),
  })
  .refine(({ min_calls, max_calls }) => min_calls <= max_calls, {
    message: "min_calls is more than max_calls",
    path: ["min_calls"],
  });

const simulation = z.strictObject({
  scenario: recordText(1, 10_000),
  success_conditions: z
    .array(z.strictObject({ name: recordText(1, 120), description: recordText(0, 500).default("") }))
    .max(20)
    .default([]),
  max_turns: z.int().min(1).max(50).default(10),
  repeat_count: z.int().min(1).max(20).default(1),
  assertions: z
    .strictObject({
      tool_calls: z.array(expectedCall).max(20).default([]),
      forbidden_tools: z.array(testTool).max(20).default([]),
      ended_by: z.enum(testEndings).nullable().default(null),
    })
    .prefault({}),
  tool_mocks: z
    .strictObject({
      /** Whether every tool is mocked, those listed, or none. */
      strategy: z.enum(["all", "selected", "none"]).default("all"),
      tools: z
        .array(z.strictObject({ tool: testTool, result: recordText(0, 100_000).default("") }))
        .max(100)
        .default([]),
    })
    .prefault({}),
});

const fields = {
  name: recordText(1, 200),
  conversation: z.array(testMessage).max(100),
  expectation: recordText(0, 400),
  success_examples: z.array(example).max(20),
  failure_examples: z.array(example).max(20),
  referenced_tool: testTool,
  tool_parameters: z.array(parameter).max(50),
  verify_absence: z.boolean(),
  simulation,
};

/** Needed by some types of test only, and empty in the others. */
const optionalFields = {
  conversation: fields.conversation.default([]),
  expectation: fields.expectation.default(""),
  success_examples: fields.success_examples.default([]),
  failure_examples: fields.failure_examples.default([]),
  referenced_tool: fields.referenced_tool.nullable().default(null),
  tool_parameters: fields.tool_parameters.default([]),
  verify_absence: fields.verify_absence.default(false),
  simulation: fields.simulation.nullable().default(null),
};

/** What is left empty is missing as much as what is left out. */
const isThere = [
  (value: { length: number }) => value.length > 0,
  { message: "Field required", params: { type: "missing" } },
] as const;
const someConversation = fields.conversation.refine(...isThere).meta({ minItems: 1 });
const someExpectation = fields.expectation.refine(...isThere).meta({ minLength: 1 });

const common = { name: fields.name, ...optionalFields };
const nextReplyTest = z.strictObject({
  ...common,
  test_type: z.literal("next_reply"),
  conversation: someConversation,
  expectation: someExpectation,
});
const toolTest = z.strictObject({
  ...common,
  test_type: z.literal("tool"),
  conversation: someConversation,
  referenced_tool: fields.referenced_tool,
});
const simulationTest = z.strictObject({ ...common, test_type: z.literal("simulation"), simulation: fields.simulation });

/** What a test does, with what its type needs; as it is stored. */
export const testDefinition = z.discriminatedUnion("test_type", [nextReplyTest, toolTest, simulationTest]);
export type TestDefinition = z.output<typeof testDefinition>;

/** Checked before the rest of a definition, which depends on it. */
export const typedTest = z.looseObject({ test_type: z.enum(testTypes) });

/**
 * Besides the definition: where the test is attached, and what reads add, which is ignored, so that a test can be
 * exported and imported.
 */
const createExtras = {
  agent_ids: z.array(reference).max(100).default([]),
  test_id: z.unknown().optional(),
  workspace_id: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
};

/** Body of `POST /v1/agent/tests`. */
export const testCreate = z.discriminatedUnion("test_type", [
  nextReplyTest.extend(createExtras),
  toolTest.extend(createExtras),
  simulationTest.extend(createExtras),
]);

/** The definition in a checked body. */
export function definitionIn(given: z.output<typeof testCreate>): TestDefinition {
  return testDefinition.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !(name in createExtras))));
}

/** Body of `PATCH /v1/agent/tests/{test_id}`: fields are replaced, `simulation` is merged; the type stays. */
export const testUpdate = z.strictObject({ ...fields, simulation: z.record(z.string(), z.unknown()) }).partial();

/** A test as a list shows it. */
const testSummary = z.object({
  test_id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  test_type: z.enum(testTypes),
  agent_ids: z.array(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type TestSummary = z.output<typeof testSummary>;

/** A test as it is read alone. */
export const testEntity = z.object({ ...optionalFields, ...testSummary.shape });
export type TestEntity = z.output<typeof testEntity>;

export const testList = pageEnvelope.extend({ tests: z.array(testSummary) });
/** Query of `GET /v1/agent/tests`. */
export const testListQuery = pageQuery.extend({ search: z.string().optional(), agent_id: z.string().optional() });
export type TestListQuery = z.output<typeof testListQuery>;

/** Answer of `GET /v1/agent/agents/{agent_id}/test-tools`: what tests of this agent may name. */
export const testToolList = z.object({ tools: z.array(testTool) });

/** Body of `POST /v1/agent/agents/{agent_id}/tests/run`; may be absent. */
export const testRunRequest = z.strictObject({
  test_ids: z.array(reference).max(MAX_TEST_RUNS).optional(),
  repeat_count: z.int().min(1).max(20).optional(),
});
