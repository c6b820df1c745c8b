import { CANARY, type Case, error, type Expected, type HttpCase, problem } from "./case.js";
import { bodyCase, jsonCase, msgpackCase } from "./requests.js";

const SESSIONS = "/v1/agent/sessions";
const to: Partial<HttpCase> = { path: SESSIONS };
/** Of no agent: a body that is right ends there, and no session is ever made. */
const nobody = "f".repeat(32);
const right = error("not_found");

const sessionCase = (name: string, body: object, expected: Expected[]): HttpCase =>
  jsonCase(`session ${name}`, { agent_id: nobody, ...body }, expected, to);

const notTexts: unknown[] = [0, 1.5, true, [], {}, [CANARY], { [CANARY]: 1 }];
const unstorable = ["a\u0000b", "a\ud800b", "\udc00"];
const long = (length: number): string => "x".repeat(length);

/** A text field: its longest value is right, one more is not; null and nothing are absent. */
function textCases(path: string[], most: number, more: { bad?: unknown[]; good?: unknown[] } = {}): Case[] {
  const name = path.join(".");
  const nested = (value: unknown): object =>
    path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
  const bad = [...notTexts, ...unstorable, long(most + 1), "🙂".repeat(most + 1), ...(more.bad ?? [])];
  return [
    ...bad.map((value, index) => sessionCase(`${name} wrong ${index}`, nested(value), problem("body", ...path))),
    ...(more.good ?? [null, "", long(most), "🙂".repeat(most), `'); DROP TABLE agents; --${CANARY}`]).map(
      (value, index) => sessionCase(`${name} right ${index}`, nested(value), right),
    ),
  ];
}

function zoneCases(): Case[] {
  const noZones = [
    CANARY,
    "Mars/Olympus",
    "+05:30",
    "UTC+1",
    "Europe/Berlin ",
    "../../etc/localtime",
    "Europe/Ber\u0000lin",
    "EUROPE BERLIN",
  ];
  const zones = [null, "", "UTC", "Europe/Berlin", "Etc/GMT+5", "Asia/Kathmandu"];
  return [
    ...[...notTexts, ...noZones, long(65)].map((value, index) =>
      sessionCase(`timezone wrong ${index}`, { timezone: value }, problem("body", "timezone")),
    ),
    ...zones.map((value) => sessionCase(`timezone ${value}`, { timezone: value }, right)),
    ...[...notTexts, long(65)].map((value, index) =>
      sessionCase(`client_timezone wrong ${index}`, { client_timezone: value }, problem("body", "client_timezone")),
    ),
    // A hint of a browser: what is no zone is ignored.
    ...[null, "", CANARY, "Mars/Olympus", long(64)].map((value, index) =>
      sessionCase(`client_timezone right ${index}`, { client_timezone: value }, right),
    ),
  ];
}

function flagCases(): Case[] {
  const bad: unknown[] = [0, 1, "true", "", [], {}, CANARY];
  return ["world_context", "tool_events", "record_audio"].flatMap((name) => [
    ...bad.map((value, index) => sessionCase(`${name} wrong ${index}`, { [name]: value }, problem("body", name))),
    ...[null, true, false].map((value) => sessionCase(`${name} ${value}`, { [name]: value }, right)),
  ]);
}

function languageCases(): Case[] {
  const bad: unknown[] = ["", "EN", "en-US", "pt", "eng", CANARY, 0, true, [], {}, ["en"]];
  return [
    ...bad.map((value, index) =>
      sessionCase(`language wrong ${index}`, { language: value }, problem("body", "language")),
    ),
    ...bad.map((value, index) =>
      sessionCase(
        `overrides.language wrong ${index}`,
        { overrides: { language: value } },
        problem("body", "overrides", "language"),
      ),
    ),
    ...["en", "ja", "zh", "ko", "es", "fr", "de", null].map((value) =>
      sessionCase(`language ${value}`, { language: value }, right),
    ),
  ];
}

function variableCases(): Case[] {
  const at = problem("body", "dynamic_variables");
  const names = ["", "1a", "_a", "a b", "a-b", "a.b", "ä", "system.today", "a\u0000", "a!"];
  const values: unknown[] = [null, [], {}, ["a"], { a: 1 }, long(1001), "a\u0000b", "\ud800"];
  const many = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, index]));
  return [
    ...[0, "", true, [], CANARY].map((value, index) =>
      sessionCase(`dynamic_variables wrong ${index}`, { dynamic_variables: value }, at),
    ),
    ...names.map((name, index) =>
      sessionCase(`variable of the name ${index}`, { dynamic_variables: { [name]: "x" } }, at),
    ),
    ...values.map((value, index) =>
      sessionCase(`variable of the value ${index}`, { dynamic_variables: { name: value } }, at),
    ),
    sessionCase("51 variables", { dynamic_variables: many(51) }, at),
    sessionCase("50 variables", { dynamic_variables: many(50) }, right),
    ...[null, {}, { a: "" }, { a: long(1000) }, { A_1: 0 }, { a: -1.5e300 }, { a: false }, { constructor: "x" }].map(
      (value, index) => sessionCase(`dynamic_variables right ${index}`, { dynamic_variables: value }, right),
    ),
    bodyCase(
      "session variable named __proto__",
      "application/json",
      `{"agent_id":"${nobody}","dynamic_variables":{"__proto__":"x"}}`,
      // The name of no field anywhere: it is left out.
      right,
      to,
    ),
    bodyCase(
      "session variable of a number beyond any",
      "application/json",
      `{"agent_id":"${nobody}","dynamic_variables":{"a":1e999}}`,
      at,
      to,
    ),
  ];
}

function freeObjectCases(): Case[] {
  // The braces, the quotes and the name are counted too.
  const filled = (characters: number): object => ({ a: long(characters - '{"a":""}'.length) });
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
  return ["metadata", "llm_extra_body"].flatMap((name) => [
    ...[0, true, "", CANARY, [], [{}]].map((value, index) =>
      sessionCase(`${name} wrong ${index}`, { [name]: value }, problem("body", name)),
    ),
    ...[{ a: "\u0000" }, { "\u0000": 1 }, { a: ["\ud800"] }, filled(65_537)].map((value, index) =>
      sessionCase(`${name} that cannot be stored ${index}`, { [name]: value }, problem("body", name)),
    ),
    ...[
      null,
      {},
      filled(65_536),
      { a: [1, { b: null }], "": "" },
      { a: "🙂 \\u0000" },
      { model: "x", messages: [], stream: false },
    ].map((value, index) => sessionCase(`${name} right ${index}`, { [name]: value }, right)),
    sessionCase(`${name} nested 20 deep`, { [name]: nested(20) }, right),
    sessionCase(`${name} nested 60 deep`, { [name]: nested(60) }, error("malformed_json")),
  ]);
}

function overrideCases(): Case[] {
  const both = { first_message: "Hello", first_message_prompt: "Greet" };
  return [
    ...[0, true, "", [], CANARY].map((value, index) =>
      sessionCase(`overrides wrong ${index}`, { overrides: value }, problem("body", "overrides")),
    ),
    ...["temperature", "llm", "tools", "voice", "conversation", "__proto"].map((name) =>
      sessionCase(`overrides with ${name}`, { overrides: { [name]: 1 } }, problem("body", "overrides")),
    ),
    sessionCase("both first messages", { overrides: both }, problem("body", "overrides", "first_message_prompt")),
    sessionCase("one first message and a null", { overrides: { ...both, first_message_prompt: null } }, right),
    sessionCase(
      "both names of the voice",
      { overrides: { voice_id: "a", voice_profile_id: "b" } },
      problem("body", "overrides", "voice_profile_id"),
    ),
    // Both are found at fault before anybody looks for the agent.
    sessionCase("no overrides", { overrides: {} }, right),
    ...textCases(["overrides", "first_message"], 10_000),
    ...textCases(["overrides", "first_message_prompt"], 10_000),
    ...textCases(["overrides", "system_prompt"], 100_000),
    ...textCases(["overrides", "voice_id"], 256),
    ...textCases(["overrides", "voice_profile_id"], 256),
  ];
}

function wholeCases(): Case[] {
  const roots: unknown[] = [[], "", 0, true, null, [{ agent_id: nobody }], CANARY];
  const good = JSON.stringify({ agent_id: nobody });
  const strangers = [
    "agent",
    "agentId",
    "session_id",
    "webrtc_url",
    "token",
    "max_duration_seconds",
    "transport",
    "team_id",
    "plan",
  ];
  return [
    ...roots.map((root, index) => jsonCase(`session body ${index}`, root, problem("body"), to)),
    jsonCase("session without an agent", {}, [{ kind: "problem", loc: ["body", "agent_id"], type: "missing" }], to),
    ...[...notTexts, null, "", long(129), ...unstorable].map((value, index) =>
      jsonCase(`session agent_id wrong ${index}`, { agent_id: value }, problem("body", "agent_id"), to),
    ),
    ...["x", long(128), nobody, nobody.toUpperCase(), "../agents", "%00", "' OR 1=1 --"].map((value) =>
      jsonCase(`session of the agent ${value.slice(0, 20)}`, { agent_id: value }, right, to),
    ),
    ...strangers.map((name) => sessionCase(`with the unknown field ${name}`, { [name]: "x" }, problem("body", name))),
    ...["{", good.slice(0, -1), `${good}}`, `{"agent_id":"${nobody}",}`, CANARY, `${"[".repeat(50_000)}`].map(
      (body, index) => bodyCase(`session in no JSON ${index}`, "application/json", body, error("malformed_json"), to),
    ),
    bodyCase(
      "session in JSON with the agent twice",
      "application/json",
      `{"agent_id":7,"agent_id":"${nobody}"}`,
      [...right, ...problem("body", "agent_id")],
      to,
    ),
    bodyCase(
      "session of 9 MB",
      "application/json",
      `{"agent_id":"${nobody}","metadata":{"a":"${long(9_000_000)}"}}`,
      error("payload_too_large"),
      to,
    ),
    msgpackCase("session", { agent_id: nobody }, error("unsupported_media_type"), to),
    ...[
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonx",
      "",
    ].map((type) => bodyCase(`session as "${type}"`, type, good, error("unsupported_media_type"), to)),
    ...["maybe", "2", "true,false", CANARY].map((value) =>
      jsonCase(`session with preview=${value}`, { agent_id: nobody }, problem("query", "preview"), {
        path: `${SESSIONS}?preview=${value}`,
      }),
    ),
  ];
}

/** What needs an agent: `{agent}` was never published, `{public}` is live and lets sessions override the voice alone. */
function agentCases(): Case[] {
  const unpublished = error("agent_not_published");
  const denied = error("override_not_allowed");
  const of = (agent: string, name: string, body: object, expected: Expected[]): HttpCase =>
    jsonCase(`session of ${agent} ${name}`, { agent_id: agent, ...body }, expected, to);
  return [
    of("{agent}", "at all", {}, unpublished),
    of(
      "{agent}",
      "with every field",
      { name: "n", end_user_id: "e", metadata: { a: 1 }, tool_events: false, timezone: "UTC" },
      unpublished,
    ),
    of("{public}", "with a prompt", { overrides: { system_prompt: "x" } }, denied),
    of("{public}", "with a first message", { overrides: { first_message: "" } }, denied),
    of("{public}", "with a first prompt", { overrides: { first_message_prompt: "x" } }, denied),
    of("{public}", "with a language", { overrides: { language: "de" } }, denied),
    of("{public}", "with a language outside", { language: "de" }, denied),
    of(
      "{public}",
      "with two languages",
      { language: "de", overrides: { language: "fr" } },
      problem("body", "language"),
    ),
    of("{public}", "with a voice and a prompt", { overrides: { voice_id: "v", system_prompt: "x" } }, denied),
  ];
}

export function sessionFieldCases(): Case[] {
  return [
    ...wholeCases(),
    ...textCases(["name"], 128),
    ...textCases(["end_user_id"], 256),
    ...zoneCases(),
    ...flagCases(),
    ...languageCases(),
    ...variableCases(),
    ...freeObjectCases(),
    ...overrideCases(),
    ...agentCases(),
  ];
}
