import { CANARY, type Case, error, type Expected, type HttpCase, problem } from "./case.js";
import { bodyCase, httpCase, jsonCase, msgpackCase } from "./requests.js";

const CALLS = "/v1/agent/phone-calls";
const nobody = "f".repeat(32);
/** From no number: a body that is right ends there, and no call is ever made. */
const right = error("number_not_found");
const good = { agent_id: nobody, phone_number_id: nobody, to_number: "+4930123456" };

const call = (name: string, change: object, expected: Expected[], headers: Record<string, string> = {}): HttpCase =>
  jsonCase(`call ${name}`, { ...good, ...change }, expected, { path: CALLS, headers });

const notTexts: unknown[] = [null, 0, 1.5, true, [], {}, [CANARY], { [CANARY]: 1 }];
const unstorable = ["a\u0000b", "a\ud800b", "\udc00"];
const long = (length: number): string => "x".repeat(length);

function referenceCases(): Case[] {
  return ["agent_id", "phone_number_id"].flatMap((field) => [
    ...[...notTexts, "", long(129), ...unstorable].map((value, index) =>
      call(`with ${field} wrong ${index}`, { [field]: value }, problem("body", field)),
    ),
    call(`without ${field}`, { [field]: undefined }, problem("body", field)),
    ...["x", long(128), nobody.toUpperCase(), "../agents", "%00", "' OR 1=1 --", "🙂", CANARY].map((value, index) =>
      call(`with ${field} of nobody ${index}`, { [field]: value }, right),
    ),
  ]);
}

function numberCases(): Case[] {
  // What is a text is judged once the number that calls is known.
  const texts = ["", "030123456", "+49 30 123456", "tel:+4930123456", "sip:a@b.example", "112", "+", "*31#", CANARY];
  return [
    ...[...notTexts, long(65), "🙂".repeat(65)].map((value, index) =>
      call(`to a number wrong ${index}`, { to_number: value }, problem("body", "to_number")),
    ),
    call("to nobody", { to_number: undefined }, problem("body", "to_number")),
    ...[...texts, "+19005550100", "+881612345678", "\u0000", long(64)].map((value, index) =>
      call(`to a number that is judged later ${index}`, { to_number: value }, right),
    ),
  ];
}

function keyCases(): Case[] {
  const keyed = (value: string, expected: Expected[]): HttpCase =>
    call(`with the key ${value.slice(0, 20)} of ${value.length}`, {}, expected, { "idempotency-key": value });
  const atKey = problem("header", "idempotency-key");
  return [
    ...["a b", "a\tb", "ä", "\u00a0", "a\u0080b", long(256), long(5000), `${CANARY} x`].map((value) =>
      keyed(value, atKey),
    ),
    ...["a", "~", "!", long(255), "{}", '"quoted"', "a,b", "'; DROP TABLE agents; --".replaceAll(" ", "_"), CANARY].map(
      (value) => keyed(value, right),
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
      call(`with dynamic_variables wrong ${index}`, { dynamic_variables: value }, at),
    ),
    ...names.map((name, index) =>
      call(`with a variable of the name ${index}`, { dynamic_variables: { [name]: "x" } }, at),
    ),
    ...values.map((value, index) =>
      call(`with a variable of the value ${index}`, { dynamic_variables: { name: value } }, at),
    ),
    call("with 51 variables", { dynamic_variables: many(51) }, at),
    ...[null, {}, many(50), { a: long(1000) }, { A_1: 0 }, { a: false }].map((value, index) =>
      call(`with dynamic_variables right ${index}`, { dynamic_variables: value }, right),
    ),
  ];
}

function overrideCases(): Case[] {
  const fields: [field: string, most: number][] = [
    ["first_message", 10_000],
    ["first_message_prompt", 10_000],
    ["voice_id", 256],
  ];
  return [
    ...[0, true, "", [], CANARY].map((value, index) =>
      call(`with overrides wrong ${index}`, { overrides: value }, problem("body", "overrides")),
    ),
    ...["temperature", "llm", "tools", "voice", "conversation"].map((name) =>
      call(`with overrides of ${name}`, { overrides: { [name]: 1 } }, problem("body", "overrides")),
    ),
    ...fields.flatMap(([field, most]) =>
      [0, true, [], {}, ...unstorable, long(most + 1)].map((value, index) =>
        call(`with ${field} wrong ${index}`, { overrides: { [field]: value } }, problem("body", "overrides", field)),
      ),
    ),
    ...["", "EN", "en-US", "pt", 0, []].map((value, index) =>
      call(
        `with a language wrong ${index}`,
        { overrides: { language: value } },
        problem("body", "overrides", "language"),
      ),
    ),
    call(
      "with both first messages",
      { overrides: { first_message: "Hello", first_message_prompt: "Greet" } },
      problem("body", "overrides", "first_message_prompt"),
    ),
    ...[null, {}, { first_message: "" }, { language: "de" }].map((value, index) =>
      call(`with overrides right ${index}`, { overrides: value }, right),
    ),
  ];
}

function metadataCases(): Case[] {
  const at = problem("body", "metadata");
  return [
    ...[0, true, "", CANARY, [], [{}], { a: "\u0000" }, { "\u0000": 1 }, { a: ["\ud800"] }, { a: long(65_536) }].map(
      (value, index) => call(`with metadata wrong ${index}`, { metadata: value }, at),
    ),
    ...[null, {}, { a: [1, { b: null }], "": "" }, { a: "🙂 \\u0000" }].map((value, index) =>
      call(`with metadata right ${index}`, { metadata: value }, right),
    ),
  ];
}

function wholeCases(): Case[] {
  const to = { path: CALLS };
  const text = JSON.stringify(good);
  const strangers = [
    "name",
    "timezone",
    "llm_extra_body",
    "from_number",
    "preview",
    "record_audio",
    "session_id",
    "plan",
  ];
  return [
    ...[[], "", 0, true, null, [good], CANARY].map((root, index) =>
      jsonCase(`call body ${index}`, root, problem("body"), to),
    ),
    ...strangers.map((name) => call(`with the unknown field ${name}`, { [name]: CANARY }, problem("body", name))),
    ...["{", text.slice(0, -1), `${text}}`, CANARY, "NaN", "\u0000"].map((body, index) =>
      bodyCase(`call in no JSON ${index}`, "application/json", body, error("malformed_json"), to),
    ),
    ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"].map(
      (type) => bodyCase(`call as ${type}`, type, text, error("unsupported_media_type"), to),
    ),
    msgpackCase("call", good, error("unsupported_media_type"), to),
    httpCase("call without a body", { ...to, expected: error("unsupported_media_type") }),
    ...["GET", "PUT", "PATCH", "DELETE"].map((method) =>
      httpCase(`${method} of the calls`, { method, path: CALLS, expected: error("method_not_allowed") }),
    ),
    ...[nobody, "x", "%00"].map((id) =>
      httpCase(`call ${id}`, { method: "GET", path: `${CALLS}/${id}`, expected: error("not_found") }),
    ),
    bodyCase("call without a key of ours", "application/json", text, error("unauthenticated"), {
      ...{ ...to, headers: { authorization: "" } },
    }),
    bodyCase("call with a key of nobody", "application/json", text, error("invalid_token"), {
      ...{ ...to, headers: { authorization: "Bearer nobody" } },
    }),
  ];
}

export function callRequestCases(): Case[] {
  return [
    ...[referenceCases(), numberCases(), keyCases(), variableCases()].flat(),
    ...[overrideCases(), metadataCases(), wholeCases()].flat(),
  ];
}
