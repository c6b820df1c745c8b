import { CANARY, type Case, error, type Expected, type HttpCase, problem, success } from "./case.js";
import { bodyCase, httpCase, jsonCase } from "./requests.js";

const SESSIONS = "/v1/agent/sessions";
const nobody = "f".repeat(32);

const get = (name: string, path: string, expected: Expected[]): HttpCase =>
  httpCase(name, { method: "GET", path, expected });

/** The filters of the list. Each stands alone: what else is said of it is right. */
function filterCases(): Case[] {
  const list = (parameter: string, value: string, expected: Expected[]): HttpCase =>
    get(
      `sessions where ${parameter} is ${value.slice(0, 40)}`,
      `${SESSIONS}?${parameter}=${encodeURIComponent(value)}`,
      expected,
    );
  const wrong = (parameter: string, ...values: string[]): Case[] =>
    values.map((value) => list(parameter, value, problem("query", parameter)));
  const fine = (parameter: string, ...values: string[]): Case[] =>
    values.map((value) => list(parameter, value, success(200)));
  const noMoments = [
    "",
    "yesterday",
    "2026-13-01",
    "2026-11-31",
    "2026-11-22T25:00:00Z",
    "1700000000",
    "2026-11-22 10:00",
    `${CANARY}Z`,
  ];
  return [
    ...wrong("status", "", "Active", "active,", "active,gone", "active;failed", CANARY),
    ...fine("status", "active", "pending,active", " failed , unknown ", "completed,completed"),
    ...wrong("direction", "", "sideways", "Inbound", "inbound,outbound"),
    ...fine("direction", "inbound", "outbound"),
    ...wrong("caller_number", "1".repeat(33)),
    ...fine("caller_number", "", "+15551234567", "15551234567", "not a number", "%"),
    ...wrong("created_after", ...noMoments),
    ...wrong("created_before", ...noMoments),
    ...fine("created_after", "2026-11-22", "2026-11-22T10:00:00Z", "2026-11-22T10:00:00+05:30", "2026-11-22T10:00:00"),
    ...fine("created_before", "0001-01-01", "9999-12-31"),
    ...fine("agent_id", "", nobody, "%00", "' OR 1=1 --", CANARY),
    ...wrong("page_size", "0", "101", "-1", "1.5", "many", "", "1e2"),
    ...fine("page_size", "1", "100", " 7 "),
    ...wrong("page", "0", "-1", "x", "", "1.0"),
    ...wrong("include_total", "perhaps", "2"),
    list("page", "9".repeat(4000), error("page_out_of_range")),
    list("page", "200000", error("page_out_of_range")),
    ...["", "x", CANARY, "AAAA", "..", "%00", "a".repeat(5000)].map((value) =>
      list("cursor", value, error("invalid_cursor")),
    ),
    get("sessions by page and cursor", `${SESSIONS}?page=1&cursor=x`, error("conflicting_paging")),
    get("sessions with unknown parameters", `${SESSIONS}?${CANARY}=1&limit=5`, success(200)),
    get("sessions of two statuses said twice", `${SESSIONS}?status=active&status=failed`, [
      ...success(200),
      ...problem("query", "status"),
    ]),
  ];
}

function idCases(): Case[] {
  const ids = [
    nobody,
    "x",
    "%00",
    "..%2f..%2fetc",
    "%20",
    "' OR 1=1 --".replaceAll(" ", "%20"),
    "f".repeat(33),
    "f".repeat(300),
    "{voice}",
    "%F0%9F%99%82",
  ];
  const missing = error("not_found");
  return [
    ...ids.flatMap((id) => [
      get(`session ${id.slice(0, 20)} of ${id.length}`, `${SESSIONS}/${id}`, missing),
      httpCase(`end of session ${id.slice(0, 20)} of ${id.length}`, {
        path: `${SESSIONS}/${id}/end`,
        expected: missing,
      }),
      httpCase(`analysis of session ${id.slice(0, 20)} of ${id.length}`, {
        path: `${SESSIONS}/${id}/analysis`,
        expected: missing,
      }),
    ]),
    ...["PUT", "PATCH", "DELETE"].flatMap((method) => [
      httpCase(`${method} of the sessions`, { method, path: SESSIONS, expected: error("method_not_allowed") }),
      httpCase(`${method} of a session`, {
        method,
        path: `${SESSIONS}/${nobody}`,
        expected: error("method_not_allowed"),
      }),
      httpCase(`${method} of a session's end`, {
        method,
        path: `${SESSIONS}/${nobody}/end`,
        expected: error("method_not_allowed"),
      }),
      httpCase(`${method} of a session's analysis`, {
        method,
        path: `${SESSIONS}/${nobody}/analysis`,
        expected: error("method_not_allowed"),
      }),
    ]),
    get("GET of a session's analysis", `${SESSIONS}/${nobody}/analysis`, error("method_not_allowed")),
    httpCase("a part of a session's analysis", { path: `${SESSIONS}/${nobody}/analysis/summary`, expected: missing }),
    httpCase("analyses of a session", { path: `${SESSIONS}/${nobody}/analyses`, expected: missing }),
    httpCase("analysis of a session with parameters", {
      path: `${SESSIONS}/${nobody}/analysis?preview=true&${CANARY}=1`,
      expected: missing,
    }),
    ...[{ summary: CANARY }, [], null, "again"].map((body, index) =>
      jsonCase(`analysis of a session with the body ${index}`, body, missing, {
        path: `${SESSIONS}/${nobody}/analysis`,
      }),
    ),
    bodyCase("analysis of a session with broken JSON", "application/json", "{", missing, {
      path: `${SESSIONS}/${nobody}/analysis`,
    }),
    bodyCase("analysis of a session with a form", "multipart/form-data; boundary=x", "--x--", missing, {
      path: `${SESSIONS}/${nobody}/analysis`,
    }),
    httpCase("POST of a session", { path: `${SESSIONS}/${nobody}`, expected: error("method_not_allowed") }),
    get("GET of a session's end", `${SESSIONS}/${nobody}/end`, error("method_not_allowed")),
    get("a session's transcript", `${SESSIONS}/${nobody}/transcript`, missing),
    httpCase("a session's beginning", { path: `${SESSIONS}/${nobody}/start`, expected: missing }),
    jsonCase("end of a session with a body", { reason: CANARY }, missing, { path: `${SESSIONS}/${nobody}/end` }),
  ];
}

/** Callers without a key; no origin that the agent allows comes without something that is refused. */
function visitorCases(): Case[] {
  const visit = (
    name: string,
    agent: string,
    headers: Record<string, string>,
    expected: Expected[],
    body: object = {},
  ): HttpCase =>
    jsonCase(`visitor ${name}`, { agent_id: agent, ...body }, expected, {
      path: SESSIONS,
      headers: { authorization: "", ...headers },
    });
  const strangers = [
    "null",
    "https://shop.example.evil.example",
    "https://evil.example/https://shop.example",
    "http://shop.example",
    "https://shop.example:444",
    "https://shop.example.",
    "https://www.shop.example",
    "https://shop.example@evil.example",
    "https://shop.example/path",
    "https://shop.example, https://evil.example",
    "shop.example",
    "*",
    "file://",
    `https://${CANARY}.example`,
    `https://${"a".repeat(3000)}.example`,
  ];
  const from = { origin: "https://shop.example" };
  const needsKey = error("key_required");
  return [
    ...strangers.map((origin) =>
      visit(`from ${origin.slice(0, 60)}`, "{public}", { origin }, error("origin_not_allowed")),
    ),
    visit("without an origin", "{public}", {}, error("origin_required")),
    visit("with an empty origin", "{public}", { origin: "" }, error("origin_required", "origin_not_allowed")),
    visit("with a referrer alone", "{public}", { referer: "https://shop.example/" }, error("origin_required")),
    visit("at an agent that is not public", "{agent}", from, error("agent_not_public")),
    visit("at no agent", nobody, from, error("not_found")),
    visit("with a name", "{public}", from, needsKey, { name: "n" }),
    visit("with fields for the model", "{public}", from, needsKey, { llm_extra_body: {} }),
    visit("with a prompt", "{public}", from, needsKey, { overrides: { system_prompt: "x" } }),
    visit("with a first message", "{public}", from, needsKey, { overrides: { first_message: "x" } }),
    visit("with a language that is not allowed", "{public}", from, error("override_not_allowed"), { language: "de" }),
    visit("with an unknown field", "{public}", from, problem("body", "agent"), { agent: CANARY }),
    visit(
      "with a wrong key and an allowed origin",
      "{public}",
      { ...from, authorization: "Bearer pk_wrong" },
      error("invalid_token"),
    ),
    visit(
      "with an empty key",
      "{public}",
      { ...from, authorization: "Bearer " },
      error("unauthenticated", "invalid_token"),
    ),
    httpCase("visitor who lists sessions", {
      method: "GET",
      path: SESSIONS,
      headers: { authorization: "", ...from },
      expected: error("unauthenticated"),
    }),
    httpCase("visitor who has a session analyzed", {
      path: `${SESSIONS}/${nobody}/analysis`,
      headers: { authorization: "", ...from },
      expected: error("unauthenticated"),
    }),
    httpCase("visitor who ends a session", {
      path: `${SESSIONS}/${nobody}/end`,
      headers: { authorization: "", ...from },
      expected: error("unauthenticated"),
    }),
  ];
}

export function sessionRequestCases(): Case[] {
  return [...filterCases(), ...idCases(), ...visitorCases()];
}
