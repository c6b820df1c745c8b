import { CANARY, type Case, error, type Expected, type HttpCase, problem, success } from "./case.js";
import { bodyCase, httpCase, jsonCase, msgpackCase } from "./requests.js";

const TESTS = "/v1/agent/tests";
const RUNS = "/v1/agent/test-runs";
const RUN = "/v1/agent/agents/{agent}/tests/run";
const BATCHES = "/v1/agent/agents/{agent}/test-batches";
const nobody = "f".repeat(32);
const missing = error("not_found");
const notAllowed = error("method_not_allowed");

const long = (length: number): string => "x".repeat(length);
const get = (name: string, path: string, expected: Expected[]): HttpCase =>
  httpCase(name, { method: "GET", path, expected });

/** Names of what nobody has, as they stand in a path. */
const strangers = [nobody, "%00", "..%2f..%2fetc", "{voice}", "'%20OR%201=1%20--"];

/** Each route below an id, with the id in its place. */
const routesOfIds: [method: string, path: (id: string) => string][] = [
  ["GET", (id) => `${TESTS}/${id}`],
  ["PATCH", (id) => `${TESTS}/${id}`],
  ["DELETE", (id) => `${TESTS}/${id}`],
  ["PUT", (id) => `/v1/agent/agents/{agent}/tests/${id}`],
  ["DELETE", (id) => `/v1/agent/agents/{agent}/tests/${id}`],
  ["PUT", (id) => `/v1/agent/agents/${id}/tests/{test}`],
  ["DELETE", (id) => `/v1/agent/agents/${id}/tests/{test}`],
  ["GET", (id) => `/v1/agent/agents/${id}/test-tools`],
  ["POST", (id) => `/v1/agent/agents/${id}/tests/run`],
  ["GET", (id) => `/v1/agent/agents/${id}/test-batches`],
  ["GET", (id) => `/v1/agent/agents/${id}/test-batches/${nobody}`],
  ["GET", (id) => `${BATCHES}/${id}`],
  ["GET", (id) => `${RUNS}/${id}`],
];

function idCases(): Case[] {
  return routesOfIds.flatMap(([method, path]) =>
    strangers.map((id) => {
      const asked = path(id);
      const body = method === "PATCH" ? Buffer.from("{}") : null;
      const headers: Record<string, string> = body === null ? {} : { "content-type": "application/json" };
      return httpCase(`${method} ${asked}`, { method, path: asked, headers, body, expected: missing });
    }),
  );
}

function methodCases(): Case[] {
  const wrong: [path: string, methods: string[]][] = [
    [TESTS, ["PUT", "PATCH", "DELETE", "SEARCH"]],
    [`${TESTS}/{test}`, ["POST", "PUT", "TRACE"]],
    ["/v1/agent/agents/{agent}/tests/{test}", ["GET", "POST", "PATCH"]],
    ["/v1/agent/agents/{agent}/test-tools", ["POST", "PUT", "DELETE"]],
    [RUN, ["GET", "PATCH"]],
    [BATCHES, ["POST", "PUT", "PATCH", "DELETE"]],
    [`${BATCHES}/${nobody}`, ["POST", "PUT", "DELETE"]],
    [RUNS, ["POST", "PUT", "DELETE"]],
    [`${RUNS}/${nobody}`, ["POST", "PATCH", "DELETE"]],
  ];
  const nowhere = [
    `${TESTS}/{test}/run`,
    `${TESTS}/{test}/runs`,
    "/v1/agent/agents/{agent}/tests",
    "/v1/agent/agents/{agent}/test-runs",
    `${BATCHES}/${nobody}/runs`,
    `${RUNS}/${nobody}/cancel`,
    "/v1/agent/test-batches",
    "/v1/agent/testruns",
  ];
  return [
    ...wrong.flatMap(([path, methods]) =>
      methods.map((method) => httpCase(`${method} of ${path}`, { method, path, expected: notAllowed })),
    ),
    ...nowhere.map((path) => get(`nothing at ${path}`, path, missing)),
    ...routesOfIds.map(([method, path]) =>
      httpCase(`${method} without a key of ${path("{test}")}`, {
        ...{ method, path: path("{test}"), headers: { authorization: "" }, expected: error("unauthenticated") },
      }),
    ),
    ...[TESTS, RUNS].map((path) =>
      httpCase(`list without a key of ${path}`, {
        ...{ method: "GET", path, headers: { authorization: "Bearer pk_wrong" }, expected: error("invalid_token") },
      }),
    ),
  ];
}

/** The lists, and their filters. Each parameter stands alone: what else is said of it is right. */
function listCases(): Case[] {
  const lists = [TESTS, RUNS, BATCHES];
  const of = (path: string, parameter: string, value: string, expected: Expected[]): HttpCase =>
    get(
      `${path} where ${parameter} is ${value.slice(0, 30)}`,
      `${path}?${parameter}=${encodeURIComponent(value)}`,
      expected,
    );
  const wrong = (path: string, parameter: string, ...values: string[]): Case[] =>
    values.map((value) => of(path, parameter, value, problem("query", parameter)));
  const fine = (path: string, parameter: string, ...values: string[]): Case[] =>
    values.map((value) => of(path, parameter, value, success(200)));
  return [
    ...lists.flatMap((path) => [
      ...wrong(path, "page_size", "0", "101", "-1", "1.5", "many", "", "1e2"),
      ...fine(path, "page_size", "1", "100", " 7 "),
      ...wrong(path, "page", "0", "-1", "x", "", "1.0"),
      ...wrong(path, "include_total", "perhaps", "2", CANARY),
      of(path, "page", "200000", error("page_out_of_range")),
      of(path, "page", "9".repeat(4000), error("page_out_of_range")),
      ...["", "x", CANARY, "AAAA", "..", "a".repeat(5000)].map((value) =>
        of(path, "cursor", value, error("invalid_cursor")),
      ),
      get(`${path} by page and cursor`, `${path}?page=1&cursor=x`, error("conflicting_paging")),
      get(`${path} with unknown parameters`, `${path}?${CANARY}=1&limit=5`, success(200)),
    ]),
    ...wrong(RUNS, "status", "", "Passed", "done", "passed,failed", " passed", CANARY),
    ...fine(RUNS, "status", "queued", "running", "passed", "failed", "error"),
    ...wrong(RUNS, "test_type", "", "Tool", "next-reply", "tool,simulation", CANARY),
    ...fine(RUNS, "test_type", "next_reply", "tool", "simulation"),
    ...["agent_id", "test_id", "batch_id"].flatMap((name) =>
      fine(RUNS, name, "", nobody, "\u0000", "' OR 1=1 --", CANARY),
    ),
    get("runs of two statuses", `${RUNS}?status=passed&status=gone`, problem("query", "status")),
    ...fine(TESTS, "search", "", "%", "_", "\\", "\u0000", "🙂", long(5000), "' OR 1=1 --"),
    ...["", nobody, "\u0000", "' OR 1=1 --", CANARY].map((id) => of(TESTS, "agent_id", id, missing)),
  ];
}

/** The request to run tests. A body that is right is not sent: here nobody runs them. */
function runCases(): Case[] {
  const to: Partial<HttpCase> = { path: RUN };
  const run = (name: string, body: unknown, ...loc: (string | number)[]): HttpCase =>
    jsonCase(`run ${name}`, body, problem("body", ...loc), to);
  return [
    ...[[], "", 0, true, null, CANARY, [{}]].map((root, index) => run(`of the body ${index}`, root)),
    ...[null, "", nobody, 7, {}, true, { 0: nobody }].map((ids, index) =>
      run(`of the tests ${index}`, { test_ids: ids }, "test_ids"),
    ),
    ...[7, null, "", [], {}, long(129), "a\u0000", "\ud800"].map((id, index) =>
      run(`of the test ${index}`, { test_ids: [nobody, id] }, "test_ids", 1),
    ),
    run("of 1,001 tests", { test_ids: Array.from({ length: 1001 }, () => nobody) }, "test_ids"),
    ...[null, "3", true, 0, -1, 21, 1.5, [], {}, 2 ** 53].map((count, index) =>
      run(`so often ${index}`, { repeat_count: count }, "repeat_count"),
    ),
    ...["test_id", "tests", "agent_id", "repeat", "config_hash", "version", CANARY.replace("-", "_")].map((name) =>
      run(`with the unknown field ${name}`, { [name]: 1 }, name),
    ),
    ...["{", `{"repeat_count":3,}`, CANARY, "[".repeat(20_000), "\u0000"].map((body, index) =>
      bodyCase(`run in no JSON ${index}`, "application/json", body, error("malformed_json"), to),
    ),
    bodyCase("run of 70 KB", "application/json", `{"test_ids":["${long(70_000)}"]}`, error("payload_too_large"), to),
    msgpackCase("run", {}, error("unsupported_media_type"), to),
    ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""].map((type) =>
      bodyCase(`run as "${type}"`, type, "{}", error("unsupported_media_type"), to),
    ),
  ];
}

/** Changes of a test of the type `next_reply`, which stays as it is. */
function changeCases(): Case[] {
  const to: Partial<HttpCase> = { method: "PATCH", path: `${TESTS}/{test}` };
  const change = (name: string, body: unknown, ...loc: (string | number)[]): HttpCase =>
    jsonCase(`change ${name}`, body, problem("body", ...loc), to);
  const fields: [name: string, values: unknown[]][] = [
    ["name", [null, "", 7, [], long(201), "a\u0000"]],
    ["expectation", [null, "", 7, {}, long(401)]],
    ["conversation", [null, "", {}, [], [7], [{ text: "" }], [{ text: "a", role: "caller" }], [{ text: "a", at: 1 }]]],
    ["success_examples", [null, "yes", [7], [long(401)], Array.from({ length: 21 }, () => "yes")]],
    ["failure_examples", [null, "no", [null]]],
    ["referenced_tool", ["t", {}, { id: "" }, { id: "t", type: "phone" }]],
    ["tool_parameters", [null, {}, [{ name: "n" }], [{ name: "n", value: null }]]],
    ["verify_absence", [null, 1, "true"]],
    ["simulation", ["s", [], 7, {}, { scenario: "" }, { max_turns: 5 }, { scenario: "s", turns: 5 }]],
  ];
  return [
    ...fields.flatMap(([name, values]) =>
      values.map((value, index) => change(`of ${name} ${index}`, { [name]: value }, name)),
    ),
    ...["test_type", "agent_ids", "test_id", "created_at", CANARY.replace("-", "_")].map((name) =>
      change(`of ${name}`, { [name]: "tool" }, name),
    ),
    ...[[], "", 0, null].map((root, index) => change(`with the body ${index}`, root)),
    bodyCase("change in no JSON", "application/json", "{", error("malformed_json"), to),
    bodyCase("change as text", "text/plain", "{}", error("unsupported_media_type"), to),
    httpCase("change without a body", { ...to, expected: error("unsupported_media_type") }),
    jsonCase("change of nothing", {}, success(200), to),
  ];
}

export function testRequestCases(): Case[] {
  return [...idCases(), ...methodCases(), ...listCases(), ...runCases(), ...changeCases()];
}
