import { CANARY, type Case, error, type Expected, type HttpCase, problem, success } from "./case.js";
import { bodyCase, httpCase, jsonCase, msgpackCase } from "./requests.js";

const NUMBERS = "/v1/agent/phone-numbers";
const SEARCH = "/v1/agent/available-phone-numbers";
const nobody = "f".repeat(32);

/** Right in all but what a case changes; the cluster of these tests has no provider, which is asked last. */
const imported = { provider: "sip", phone_number: "+14155550123", inbound_allowed_addresses: ["203.0.113.0/24"] };
const bought = { provider: "twilio", phone_number: "+14155550123" };

const get = (name: string, path: string, expected: Expected[]): HttpCase =>
  httpCase(name, { method: "GET", path, expected });

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? "nothing";

function searchCases(): Case[] {
  const search = (parameter: string, value: string, expected: Expected[]): HttpCase =>
    get(
      `numbers to buy where ${parameter} is ${shown(value)}`,
      `${SEARCH}?${parameter}=${encodeURIComponent(value)}`,
      expected,
    );
  const wrong = (parameter: string, ...values: string[]): Case[] =>
    values.map((value) => search(parameter, value, problem("query", parameter)));
  const unsupported = (parameter: string, ...values: string[]): Case[] =>
    values.map((value) => search(parameter, value, error("unsupported_numbers")));
  return [
    ...wrong("area_code", "", "41", "4155", "4 5", "abc", "+41", "-41", "4.5", "٤١٥", CANARY, "1e2"),
    ...wrong("number_type", "", "Local", "mobile", "local,toll_free", "toll-free", CANARY),
    ...wrong("provider", "", "sip", "livekit", "Twilio", CANARY),
    ...unsupported("country_code", "", "DE", "us", "USA", "US,CA", "%00", "🙂", CANARY),
    ...unsupported("number_type", "toll_free"),
    ...["POST", "PUT", "PATCH", "DELETE"].map((method) =>
      httpCase(`${method} of the numbers to buy`, { method, path: SEARCH, expected: error("method_not_allowed") }),
    ),
    get("one of the numbers to buy", `${SEARCH}/+14155550123`, error("not_found")),
  ];
}

/** Bodies of a purchase or an import with one field wrong. */
function fieldCases(): Case[] {
  const create = (base: object, field: string, value: unknown, place: (string | number)[] = [field]): HttpCase =>
    jsonCase(
      `${(base as { provider: string }).provider} number whose ${field} is ${shown(value)}`,
      { ...base, [field]: value },
      problem("body", ...place),
      { path: NUMBERS },
    );
  const noText = [null, 7, true, {}, ["+14155550123"]];
  const noNumbers = [
    ...["", "+", "14155550123", "+0415555012", "+14155", "+1415555012345678", "+1 415 555 0123", "+1-415-555-0123"],
    ...["tel:+14155550123", "+1415555012a", "+١٤١٥٥٥٥٠١٢٣", "+14155550123\n", "sip:a@b.example", CANARY],
  ];
  const noAddresses = [
    ...["", "localhost", "203.0.113.256", "203.0.113", "203.0.113.0/33", "203.0.113.0/", "203.0.113.0-9", "::g"],
    ...["fe80::/129", "203.0.113.1:5060", "0x7f.1", " 203.0.113.1", "*", CANARY],
  ];
  const noUris = [
    ...["sip:pbx.example.com", "pbx", "pbx.example.com:0", "pbx.example.com:70000", "pbx.example.com:", "-a.example"],
    ...["a..example", "pbx.example.com;transport=tcp", "user@pbx.example.com", "pbx.example.com/x", "[::1]:5060"],
    ...[" pbx.example.com", `${"a".repeat(64)}.example`, `${"a.".repeat(130)}example`, "bücher.example", CANARY],
  ];
  const long = "x".repeat(257);
  return [
    ...[imported, bought].flatMap((base) => [
      ...[...noText, ...noNumbers].map((value) => create(base, "phone_number", value)),
      ...[null, 7, {}, "x".repeat(121), "a\u0000b"].map((value) => create(base, "label", value)),
      ...["", 7, {}, "x".repeat(129), "\u0000"].map((value) => create(base, "agent_id", value)),
      create(base, "workspace_id", nobody),
      create(base, "status", "active"),
      create(base, "surprise", CANARY),
    ]),
    ...[null, "", "livekit", "Twilio", "telnyx", 1, [], CANARY].map((value) =>
      create({ ...bought, provider: value }, "provider", value),
    ),
    create(bought, "termination_uri", "pbx.example.com"),
    create(bought, "inbound_allowed_addresses", ["203.0.113.1"]),
    ...noAddresses.map((value) =>
      create(imported, "inbound_allowed_addresses", [value], ["inbound_allowed_addresses", 0]),
    ),
    ...[null, "203.0.113.1", {}, Array.from({ length: 33 }, (_, index) => `203.0.113.${index}`), []].map((value) =>
      create(imported, "inbound_allowed_addresses", value),
    ),
    ...[...noText, ...noUris].map((value) => create(imported, "termination_uri", value)),
    ...["127.0.0.1:5060", "10.0.0.5", "169.254.169.254", "pbx.office.lan", "localhost.localdomain"].map((value) =>
      create(imported, "termination_uri", value),
    ),
    ...[null, "", "TLS", "sctp", "udp,tcp", 1, CANARY].map((value) => create(imported, "termination_transport", value)),
    ...[
      "inbound_auth_username",
      "inbound_auth_password",
      "termination_auth_username",
      "termination_auth_password",
    ].flatMap((field) => [null, 7, {}, long, "a\u0000b"].map((value) => create(imported, field, value))),
  ];
}

/** What is wrong with a trunk as a whole. */
function trunkCases(): Case[] {
  const wrong = (name: string, change: object, field: string): HttpCase =>
    jsonCase(`a trunk ${name}`, { ...imported, ...change }, problem("body", field), { path: NUMBERS });
  const nowhere = { inbound_allowed_addresses: [] };
  const secret = CANARY;
  return [
    wrong("that anybody may call by", nowhere, "inbound_allowed_addresses"),
    wrong("with a user name alone", { inbound_auth_username: "u" }, "inbound_auth_password"),
    wrong("with a password alone", { inbound_auth_password: secret }, "inbound_auth_username"),
    wrong(
      "whose calls leave with a user name alone",
      { termination_uri: "pbx.example.com", termination_auth_username: "u" },
      "termination_auth_password",
    ),
    wrong(
      "whose calls leave with a password alone",
      { termination_auth_password: secret },
      "termination_auth_username",
    ),
    wrong(
      "with credentials for nowhere",
      { termination_auth_username: "u", termination_auth_password: secret },
      "termination_uri",
    ),
  ];
}

function bodyCases(): Case[] {
  const to = { path: NUMBERS };
  const trunkTo = { method: "PUT", path: `${NUMBERS}/${nobody}/sip-config` };
  return [
    ...[[], null, "sip", 7, {}, [imported]].map((root, index) =>
      jsonCase(`a number with the body ${index}`, root, problem("body"), to),
    ),
    ...["{", '{"provider": "sip",}', "\u0000", "NaN"].map((text, index) =>
      bodyCase(`a number as no JSON ${index}`, "application/json", text, error("malformed_json"), to),
    ),
    ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"].map(
      (type) => bodyCase(`a number as ${type}`, type, JSON.stringify(imported), error("unsupported_media_type"), to),
    ),
    msgpackCase("a number", imported, error("unsupported_media_type"), to),
    httpCase("a number without a body", { ...to, expected: error("unsupported_media_type") }),
    jsonCase("a number of an agent that there is not", { ...imported, agent_id: nobody }, error("not_found"), to),
    jsonCase("a number of an agent of no form", { ...bought, agent_id: CANARY }, error("not_found"), to),
    jsonCase(
      "a trunk of a number that there is not",
      { inbound_allowed_addresses: ["203.0.113.1"] },
      error("not_found"),
      trunkTo,
    ),
    jsonCase("a trunk with a number's label", { label: CANARY }, error("not_found"), trunkTo),
    jsonCase("a change of a number that there is not", { label: CANARY }, error("not_found"), {
      ...{ method: "PATCH", path: `${NUMBERS}/${nobody}` },
    }),
  ];
}

function listCases(): Case[] {
  const list = (parameter: string, value: string, expected: Expected[]): HttpCase =>
    get(
      `numbers where ${parameter} is ${shown(value)}`,
      `${NUMBERS}?${parameter}=${encodeURIComponent(value)}`,
      expected,
    );
  return [
    ...["", "+14155550123", "14155550123", "not a number", "\u0000", "%", "+".repeat(300)].map((value) =>
      list("phone_number", value, success(200)),
    ),
    ...[nobody, "", "\u0000", "' OR 1=1 --", CANARY].map((value) => list("agent_id", value, error("not_found"))),
    ...["0", "101", "-1", "1.5", "many", ""].map((value) => list("page_size", value, problem("query", "page_size"))),
    ...["0", "-1", "x", ""].map((value) => list("page", value, problem("query", "page"))),
    ...["", "x", CANARY, "a".repeat(5000)].map((value) => list("cursor", value, error("invalid_cursor"))),
    get("numbers by page and cursor", `${NUMBERS}?page=1&cursor=x`, error("conflicting_paging")),
  ];
}

function idCases(): Case[] {
  const ids = [
    nobody,
    "x",
    "%00",
    "..%2f..%2fetc",
    "%20",
    "'%20OR%201=1%20--",
    "f".repeat(33),
    "{agent}",
    "%F0%9F%99%82",
  ];
  const missing = error("not_found");
  const trunk = { inbound_allowed_addresses: ["203.0.113.1"] };
  return [
    ...ids.flatMap((id) => [
      get(`number ${id} of ${id.length}`, `${NUMBERS}/${id}`, missing),
      httpCase(`release of number ${id} of ${id.length}`, {
        method: "DELETE",
        path: `${NUMBERS}/${id}`,
        expected: missing,
      }),
      jsonCase(`label of number ${id}`, { label: "x" }, missing, { method: "PATCH", path: `${NUMBERS}/${id}` }),
      jsonCase(`trunk of number ${id}`, trunk, missing, { method: "PUT", path: `${NUMBERS}/${id}/sip-config` }),
    ]),
    ...["PUT", "PATCH", "DELETE"].map((method) =>
      httpCase(`${method} of the numbers`, { method, path: NUMBERS, expected: error("method_not_allowed") }),
    ),
    ...["GET", "POST", "PATCH", "DELETE"].map((method) =>
      httpCase(`${method} of a number's trunk`, {
        ...{ method, path: `${NUMBERS}/${nobody}/sip-config` },
        expected: error("method_not_allowed"),
      }),
    ),
    httpCase("POST of a number", { path: `${NUMBERS}/${nobody}`, expected: error("method_not_allowed") }),
    get("a number's calls", `${NUMBERS}/${nobody}/calls`, missing),
  ];
}

export function phoneRequestCases(): Case[] {
  return [...searchCases(), ...fieldCases(), ...trunkCases(), ...bodyCases(), ...listCases(), ...idCases()];
}
