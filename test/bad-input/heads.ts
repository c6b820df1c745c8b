import { audio, CANARY, type Case, error, type Expected, type HttpCase, success } from "./case.js";
import { goodSpeech, httpCase, JSON_TYPE, liveCase, SPEECH_EVENTS, stop, goodStart } from "./requests.js";

const body = Buffer.from(JSON.stringify(goodSpeech));
const events: Expected[] = [{ kind: "events" }];

function speechWith(
  name: string,
  headers: Record<string, string>,
  expected: Expected[],
  more: Partial<HttpCase> = {},
): HttpCase {
  return httpCase(name, { headers: { "content-type": JSON_TYPE, ...headers }, body, expected, ...more });
}

/** A missing body and a wrong content type are a bare 415. */
export function contentTypeCases(): Case[] {
  const wrong = [
    "",
    "*/*",
    "application",
    "application/",
    "application/*",
    "json",
    "text/json",
    "text/plain",
    "text/plain;charset=utf-8",
    "text/html",
    "application/xml",
    "application/json5",
    "application/jsonp",
    "application/json-seq",
    "application/ld+json",
    "application/problem+json",
    "application/json,application/json",
    "application/x-ndjson",
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "application/cbor",
    "application/x-protobuf",
    "audio/wav",
    "message/http",
    "application/ json",
    '"application/json"',
    ";application/json",
    CANARY,
    "application/json; charset=utf-16",
    "application/json; charset=iso-8859-1",
    "application/json;charset=ascii-art",
    "x".repeat(5000),
  ];
  const right = [
    "application/json",
    "APPLICATION/JSON",
    "application/json;charset=utf-8",
    "application/json; charset=UTF-8",
    'application/json; charset="utf-8"',
    "application/json; q=1",
    " application/json ",
  ];
  const bare = error("unsupported_media_type");
  return [
    ...wrong.map((type) =>
      speechWith(`content type ${JSON.stringify(type).slice(0, 50)}`, { "content-type": type }, bare),
    ),
    ...wrong
      .filter((_, index) => index % 7 === 0)
      .map((type) =>
        speechWith(`timestamps: content type ${type.slice(0, 50)}`, { "content-type": type }, bare, {
          path: SPEECH_EVENTS,
        }),
      ),
    ...["text/plain", CANARY, "multipart/mixed; boundary=x", "application/xml"].map((type) =>
      speechWith(`content type ${type} to /model`, { "content-type": type }, bare, { path: "/model" }),
    ),
    ...right.map((type) => speechWith(`content type ${JSON.stringify(type)}`, { "content-type": type }, audio)),
    httpCase("no content type", { body, expected: bare }),
    httpCase("no content type, /model", { body, path: "/model", expected: bare }),
    ...["/v1/tts", SPEECH_EVENTS, "/model"].map((path) =>
      httpCase(`no body, ${path}`, { path, headers: { "content-type": JSON_TYPE }, expected: bare }),
    ),
    ...["/v1/tts", "/model"].map((path) =>
      httpCase(`no body in MessagePack, ${path}`, {
        path,
        headers: { "content-type": "application/msgpack" },
        expected: bare,
      }),
    ),
    httpCase("an empty chunked body", {
      headers: { "content-type": JSON_TYPE, "transfer-encoding": "chunked" },
      expected: bare,
    }),
    speechWith("a chunked body", { "transfer-encoding": "chunked" }, audio),
    speechWith("an Expect that the server does not know", { expect: "200-ok" }, [...audio, ...error("malformed_json")]),
    speechWith("an Accept for images only", { accept: "image/png" }, audio),
    ...["/v1/tts", SPEECH_EVENTS].map((path) =>
      httpCase(`40 MB, ${path}`, {
        path,
        headers: { "content-type": JSON_TYPE },
        body: Buffer.alloc(40_000_000, 0x20),
        expected: error("payload_too_large"),
      }),
    ),
  ];
}

/** Absent is s2-pro; unknown is a 400 that lists the four; older names keep working. */
export function modelHeaderCases(): Case[] {
  const unknown = [
    CANARY,
    "s3",
    "S1",
    "s2",
    "s2.1",
    "s2.1-pro-Free",
    "s1, s1",
    "s1 s1",
    "s1;q=1",
    "s2\u00e9-pro",
    "*",
    "null",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "/s1",
    "service/",
    "service/service/s1",
    "fish-audio/s3",
    "openai/s1",
    "../s1",
    "speech-1.4",
    "tts-1",
    "'s1'",
    "x".repeat(8000),
  ].filter((name) => name !== "service/");
  const known = [
    "s1",
    "s2-pro",
    "s2.1-pro",
    "s2.1-pro-free",
    "service/s1",
    "fish-audio/s2-pro",
    "speech-1.5",
    "speech-1.6",
    " s1 ",
  ];
  return [
    ...unknown.map((model) => speechWith(`model ${model.slice(0, 40)}`, { model }, error("unknown_model"))),
    ...unknown
      .slice(0, 5)
      .map((model) =>
        speechWith(`timestamps: model ${model.slice(0, 40)}`, { model }, error("unknown_model"), {
          path: SPEECH_EVENTS,
        }),
      ),
    ...known.map((model) => speechWith(`model ${model}`, { model }, audio)),
    speechWith("an empty model", { model: "" }, [...audio, ...error("unknown_model")]),
    ...unknown
      .slice(0, 3)
      .map((model) =>
        httpCase(`upgrade with model ${model}`, {
          method: "GET",
          path: "/v1/tts/live",
          headers: { ...upgrade, model },
          expected: error("unknown_model"),
        }),
      ),
    ...known
      .slice(0, 4)
      .map((model) =>
        liveCase(
          `live model ${model}`,
          [goodStart, { event: "text", text: "Go." }, stop],
          [{ kind: "stop", audio: true }],
          { model },
        ),
      ),
  ];
}

export const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "MDEyMzQ1Njc4OWFiY2RlZg==",
};

/** An omitted or invalid trace header starts a new trace, and changes nothing else. */
export const traceparents: [name: string, value: string][] = [
  ["a right one", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
  ["not sampled", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"],
  ["a later version with more", "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-comes"],
  ["the forbidden version", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
  ["no trace", "00-00000000000000000000000000000000-b7ad6b7169203331-01"],
  ["no parent", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"],
  ["upper case", "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01"],
  ["too short", "00-0af7651916cd43dd-b7ad6b7169203331-01"],
  ["too long", "00-0af7651916cd43dd8448eb211c80319c00-b7ad6b7169203331-01"],
  ["version 00 with more", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"],
  ["no hexadecimal", "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01"],
  [
    "two of them",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  ],
  ["nothing", ""],
  ["a word", CANARY],
  ["8,000 characters", "0".repeat(8000)],
  ["Latin-1", "00-\u00e9\u00ff"],
  ["a query", "'; DROP TABLE traces; --"],
];

export function traceCases(): Case[] {
  const refusal = error("nothing_to_speak");
  const nothing = Buffer.from(JSON.stringify({ ...goodSpeech, text: "..." }));
  return traceparents.flatMap(([name, traceparent]) => [
    speechWith(`traceparent: ${name}`, { traceparent }, audio),
    speechWith(`traceparent of timestamps: ${name}`, { traceparent }, events, { path: SPEECH_EVENTS }),
    speechWith(`traceparent of a refusal: ${name}`, { traceparent }, refusal, { body: nothing }),
    liveCase(
      `traceparent of a live stream: ${name}`,
      [goodStart, { event: "text", text: "Go." }, stop],
      [{ kind: "stop", audio: true }],
      { traceparent },
    ),
    httpCase(`traceparent of /model: ${name}`, {
      method: "GET",
      path: "/model?page_size=1",
      headers: { traceparent },
      expected: success(200),
    }),
  ]);
}

/** Missing or malformed is a bare 401, present and bad is `Invalid token`. */
export function authorizationCases(): Case[] {
  const malformed = [
    "",
    " ",
    "Bearer",
    "Bearer ",
    "Bearer  ",
    "bearer",
    "Basic YTpi",
    `Basic ${CANARY}`,
    "Digest username=x",
    "Token abc",
    "Negotiate",
    CANARY,
    `${CANARY} Bearer`,
    "Bearer a b",
    "Bearer a, Bearer b",
    "Bearer\u00e9 x",
    "Bearer k\u00e9y",
    "Bearer \u00ff\u00fe",
    "Bearer=abc",
    "Bearer:abc",
    '"Bearer abc"',
    "Bearerabc",
    "Bearer\u00a0abc",
  ];
  const bad = [
    `Bearer ${CANARY}`,
    "Bearer x",
    "bearer x",
    "BEARER x",
    "Bearer  x",
    "Bearer x ",
    "Bearer null",
    "Bearer undefined",
    "Bearer {}",
    "Bearer '--",
    `Bearer ${"k".repeat(8000)}`,
    "Bearer eyJhbGciOiJub25lIn0.e30.",
    `Bearer pk_${"0".repeat(61)}`,
    "Bearer *",
    "Bearer ../../data/key",
    "Bearer %00",
  ];
  const routes: [method: string, path: string][] = [
    ["POST", "/v1/tts"],
    ["POST", SPEECH_EVENTS],
    ["GET", "/model"],
    ["POST", "/model"],
    ["GET", "/model/{voice}"],
    ["PATCH", "/model/{voice}"],
    ["DELETE", "/model/{voice}"],
    ["GET", "/wallet/self/api-credit"],
    ["GET", "/wallet/self/package"],
  ];
  const asked = (authorization: string, index: number, expected: Expected[]): Case[] => {
    const some = index % 4 === 0 ? routes : routes.slice(index % routes.length, (index % routes.length) + 2);
    return some.map(([method, path]) =>
      httpCase(`authorization ${JSON.stringify(authorization).slice(0, 40)} to ${method} ${path}`, {
        method,
        path,
        headers: { authorization },
        expected,
      }),
    );
  };
  const toUpgrade = (authorization: string, expected: Expected[]): Case =>
    httpCase(`upgrade with authorization ${JSON.stringify(authorization).slice(0, 40)}`, {
      method: "GET",
      path: "/v1/tts/live",
      headers: { ...upgrade, authorization },
      expected,
    });
  return [
    ...malformed.flatMap((value, index) => asked(value, index, error("unauthenticated"))),
    ...bad.flatMap((value, index) => asked(value, index, error("invalid_token"))),
    ...malformed.slice(0, 6).map((value) => toUpgrade(value, error("unauthenticated"))),
    ...bad.slice(0, 6).map((value) => toUpgrade(value, error("invalid_token"))),
  ];
}
