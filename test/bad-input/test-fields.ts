import { CANARY, type Case, error, type Expected, type HttpCase, problem } from "./case.js";
import { bodyCase, jsonCase, msgpackCase } from "./requests.js";

const to: Partial<HttpCase> = { path: "/v1/agent/tests" };
/** Of an agent that is not there: a body that is right ends at it, and no test is ever made. */
const nobody = "f".repeat(32);
const right = problem("body", "agent_ids", 0);

const talk = [{ text: "When do you open?" }];
const reply = { name: "A test", test_type: "next_reply", conversation: talk, expectation: "It says when." };
const tool = { name: "A test", test_type: "tool", conversation: talk, referenced_tool: { id: "t" } };
const simulation = { name: "A test", test_type: "simulation", simulation: { scenario: "Calls." } };

type Place = (string | number)[];

/** A copy with another value at a place; what is missing on the way there is made. */
function withValue(base: unknown, [step, ...rest]: Place, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list = Array.isArray(base) ? [...(base as unknown[])] : [];
    list[step] = withValue(list[step], rest, value);
    return list;
  }
  const record = (typeof base === "object" && base !== null ? base : {}) as Record<string, unknown>;
  return { ...record, [step]: withValue(record[step], rest, value) };
}

const create = (name: string, body: object, expected: Expected[]): HttpCase =>
  jsonCase(`test ${name}`, { ...body, agent_ids: [nobody] }, expected, to);

/** The same body with values at a place that are wrong there, and with some that are right. */
function at(base: object, place: Place, wrong: readonly unknown[], fine: readonly unknown[] = []): Case[] {
  const name = place.join(".");
  const change = (value: unknown): object => withValue(base, place, value) as object;
  return [
    ...wrong.map((value, index) => create(`${name} wrong ${index}`, change(value), problem("body", ...place))),
    ...fine.map((value, index) => create(`${name} right ${index}`, change(value), right)),
  ];
}

const long = (length: number): string => "x".repeat(length);
const notTexts: unknown[] = [null, 7, true, [CANARY], { [CANARY]: 1 }];
const unstorable = ["a\u0000b", "a\ud800b"];
const text = (base: object, place: Place, least: number, most: number): Case[] =>
  at(
    base,
    place,
    [...notTexts, ...unstorable, long(most + 1), "🙂".repeat(most + 1), ...(least > 0 ? [""] : [])],
    [
      long(most),
      ...(most > 500 ? [] : ["🙂".repeat(most)]),
      `'); DROP TABLE agents; --${CANARY}`,
      ...(least > 0 ? [] : [""]),
    ],
  );
const whole = (base: object, place: Place, least: number, most: number): Case[] =>
  at(base, place, [null, "5", true, 1.5, [1], {}, least - 1, most + 1, -(2 ** 40), 2 ** 53], [least, most]);
const word = (base: object, place: Place, words: readonly string[], more: unknown[] = []): Case[] =>
  at(base, place, ["", words[0]?.toUpperCase(), `${words[0]} `, CANARY, 0, [words[0]]], [...words, ...more]);
const flag = (base: object, place: Place): Case[] => at(base, place, [null, 0, 1, "true", "", [], {}], [true, false]);
const list = (base: object, place: Place, most: number, item: unknown): Case[] =>
  at(
    base,
    place,
    [null, "", 0, { 0: item }, Array.from({ length: most + 1 }, () => item)],
    [Array.from({ length: most }, () => item)],
  );
/** What is no object where one belongs, and one with a field that it does not have. */
const record = (base: object, place: Place, good: object): Case[] => [
  ...at(base, place, ["", 7, true, [good]]),
  create(
    `${place.join(".")} with another field`,
    withValue(base, place, { ...good, [`x-${place.length}`]: 1 }) as object,
    [{ kind: "problem", loc: ["body", ...place] }],
  ),
];

const TOOL = { id: "t" };
const SIMULATION: Place = ["simulation"];
const CALL: Place = ["simulation", "assertions", "tool_calls", 0];
const call = { tool: TOOL, min_calls: 0 };
const withCall = withValue(simulation, CALL, call) as object;
const MOCK: Place = ["simulation", "tool_mocks", "tools", 0];
const withMock = withValue(simulation, MOCK, { tool: TOOL }) as object;

function commonFields(): Case[] {
  return [
    ...text(reply, ["name"], 1, 200),
    ...text(reply, ["expectation"], 1, 400),
    ...list(reply, ["conversation"], 100, { text: "a" }),
    ...record(reply, ["conversation", 0], { text: "a" }),
    ...text(reply, ["conversation", 0, "text"], 1, 2000),
    ...word(reply, ["conversation", 0, "role"], ["user", "agent"]),
    ...list(reply, ["success_examples"], 20, "yes"),
    ...text(reply, ["success_examples", 0], 0, 400),
    ...list(reply, ["failure_examples"], 20, "no"),
    ...text(reply, ["failure_examples", 0], 0, 400),
    create("conversation empty", { ...reply, conversation: [] }, problem("body", "conversation")),
  ];
}

function toolFields(): Case[] {
  return [
    ...record(tool, ["referenced_tool"], TOOL),
    ...text(tool, ["referenced_tool", "id"], 1, 128),
    ...text(tool, ["referenced_tool", "name"], 0, 120),
    ...text(tool, ["referenced_tool", "description"], 0, 2000),
    ...word(tool, ["referenced_tool", "type"], ["webhook", "client", "integration", "system"]),
    ...list(tool, ["tool_parameters"], 50, { name: "n", value: "v" }),
    ...record(tool, ["tool_parameters", 0], { name: "n", value: "v" }),
    ...text({ ...tool, tool_parameters: [{ value: 1 }] }, ["tool_parameters", 0, "name"], 1, 64),
    ...at(
      { ...tool, tool_parameters: [{ name: "n" }] },
      ["tool_parameters", 0, "value"],
      [null, [], {}, long(2001), "a\u0000"],
      ["", long(2000), 0, -1.5e300, true, false],
    ),
    ...flag(tool, ["verify_absence"]),
  ];
}

function simulationFields(): Case[] {
  const conditions: Place = [...SIMULATION, "success_conditions"];
  return [
    ...record(simulation, SIMULATION, { scenario: "s" }),
    ...text(simulation, [...SIMULATION, "scenario"], 1, 10_000),
    ...whole(simulation, [...SIMULATION, "max_turns"], 1, 50),
    ...whole(simulation, [...SIMULATION, "repeat_count"], 1, 20),
    ...list(simulation, conditions, 20, { name: "n" }),
    ...record(simulation, [...conditions, 0], { name: "n" }),
    ...text(simulation, [...conditions, 0, "name"], 1, 120),
    ...text(
      withValue(simulation, [...conditions, 0], { name: "n" }) as object,
      [...conditions, 0, "description"],
      0,
      500,
    ),
    ...record(simulation, [...SIMULATION, "assertions"], {}),
    ...word(simulation, [...SIMULATION, "assertions", "ended_by"], ["agent", "user", "max_turns"], [null]),
    ...list(simulation, [...SIMULATION, "assertions", "tool_calls"], 20, call),
    ...list(simulation, [...SIMULATION, "assertions", "forbidden_tools"], 20, TOOL),
    ...record(withCall, [...CALL, "tool"], TOOL),
    ...whole(withCall, [...CALL, "max_calls"], 0, 50),
    ...at(withCall, [...CALL, "min_calls"], [null, "1", -1, 51, 0.5], [0, 50]),
    ...list(withCall, [...CALL, "params"], 50, { name: "n", value: 1 }),
    create(
      "that is called more often than at most",
      withValue(simulation, CALL, { ...call, min_calls: 3, max_calls: 2 }) as object,
      [{ kind: "problem", loc: ["body", ...CALL, "min_calls"] }],
    ),
    ...record(simulation, [...SIMULATION, "tool_mocks"], {}),
    ...word(simulation, [...SIMULATION, "tool_mocks", "strategy"], ["all", "selected", "none"]),
    ...list(simulation, [...SIMULATION, "tool_mocks", "tools"], 100, { tool: TOOL }),
    ...record(withMock, MOCK, { tool: TOOL }),
    ...text(withMock, [...MOCK, "result"], 0, 100_000),
  ];
}

/** What a type of test needs, and the body as a whole. */
function wholeBodies(): Case[] {
  const without = (base: { test_type: string }, name: string): Case =>
    create(
      `${name} of ${base.test_type} missing`,
      Object.fromEntries(Object.entries(base).filter(([key]) => key !== name)),
      [{ kind: "problem", loc: ["body", name], type: "missing" }],
    );
  const good = JSON.stringify({ ...reply, agent_ids: [nobody] });
  const roots: unknown[] = [[], [reply], "", CANARY, 0, true, null];
  const read = { test_id: "x", workspace_id: 7, created_at: [], updated_at: null };
  return [
    ...["name", "conversation", "expectation"].map((name) => without(reply, name)),
    ...["conversation", "referenced_tool"].map((name) => without(tool, name)),
    without(simulation, "simulation"),
    ...[undefined, null, "", "Tool", "next-reply", CANARY, 0, ["tool"], {}].map((type, index) =>
      create(`of the type ${index}`, { ...reply, test_type: type }, problem("body", "test_type")),
    ),
    create("of another type than its fields", { ...reply, test_type: "simulation" }, problem("body", "simulation")),
    ...["id", "testId", "batch_id", "agent_id", "status", "team_id", CANARY.replace("-", "_")].map((name) =>
      create(`with the unknown field ${name}`, { ...reply, [name]: "x" }, problem("body", name)),
    ),
    create("as it is read", { ...reply, ...read }, right),
    ...roots.map((root, index) => jsonCase(`test body ${index}`, root, problem("body"), to)),
    ...[null, "", nobody, 7, [7], [""], [long(129)], ["a\u0000"], Array.from({ length: 101 }, () => nobody)].map(
      (ids, index) =>
        jsonCase(`test of the agents ${index}`, { ...reply, agent_ids: ids }, problem("body", "agent_ids"), to),
    ),
    ...["x", long(128), nobody.toUpperCase(), "../agents", "%00", "' OR 1=1 --"].map((id) =>
      jsonCase(`test of the agent ${id.slice(0, 20)}`, { ...reply, agent_ids: [id] }, right, to),
    ),
    ...["{", good.slice(0, -1), `${good}}`, `{"name":"n",}`, CANARY, "[".repeat(50_000)].map((body, index) =>
      bodyCase(`test in no JSON ${index}`, "application/json", body, error("malformed_json"), to),
    ),
    bodyCase(
      "test with its name twice",
      "application/json",
      `${good.slice(0, -1)},"name":7}`,
      problem("body", "name"),
      to,
    ),
    bodyCase("test of 9 MB", "application/json", `{"name":"${long(9_000_000)}"}`, error("payload_too_large"), to),
    msgpackCase("test", reply, error("unsupported_media_type"), to),
    ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""].map((type) =>
      bodyCase(`test as "${type}"`, type, good, error("unsupported_media_type"), to),
    ),
  ];
}

export function testFieldCases(): Case[] {
  return [...commonFields(), ...toolFields(), ...simulationFields(), ...wholeBodies()];
}
