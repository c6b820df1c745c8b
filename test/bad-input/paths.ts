import { CANARY, type Case, error, success } from "./case.js";
import { goodSpeech, httpCase, JSON_TYPE, SPEECH_EVENTS } from "./requests.js";

const found404 = error("not_found");

/** Paths that lead nowhere. Below `/model` and `/wallet` the right key is sent with them, as everywhere here. */
const nowhere = [
  "/v1",
  "/v1/",
  "/v1/tts//",
  "/v1//tts",
  "/v1/tts/stream",
  "/v1/tts/stream/",
  "/v1/tts/stream/with-timestamp//",
  "/v1/tts/stream/with_timestamp",
  "/v1/TTS",
  "/V1/tts",
  "/v1/tts%2Flive",
  "/v1%2Ftts",
  "/v1/tts%00",
  "/v1/tts%20",
  "/v1/tts;x=1",
  "/v1/tts.json",
  "/v1/tts/live/x",
  "/v2/tts",
  `/${CANARY}`,
  "/model.json",
  "/models",
  "/modelx",
  "/Model",
  "/wallet",
  "/walletx",
  "/favicon.ico",
  "/robots.txt",
  "/.env",
  "/.git/config",
  "/admin",
  "/index.php",
  "/..",
  "/../etc/passwd",
  "/..%2f..%2fetc%2fpasswd",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/v1/../model",
  "/v1/tts/../tts",
  "/%",
  "/%zz",
  "/%ff%fe",
  "/%c0%af",
  "/%00",
  "/*",
  "/:id",
  "/docs/../data",
  "/docs%2f",
  "/health//",
  "/metrics/x",
  "/openapi.json//",
  "/a".repeat(2000),
  `/${"x".repeat(8000)}`,
];

/** Names of voices and of their parts that nobody has, as they stand in a path. */
const noVoices = [
  "f".repeat(32),
  "F".repeat(32),
  "f".repeat(31),
  "f".repeat(33),
  CANARY,
  "0",
  "-1",
  "null",
  "%20",
  "%00",
  "%ff",
  "%zz",
  "%",
  "%c0%af",
  "..%2f..%2fetc%2fpasswd",
  "%2e%2e",
  "f%00",
  "*",
  "%3E",
  "'%3B%20DROP%20TABLE%20voices%3B--",
  "__proto__",
  "x".repeat(5000),
  "%F0%9F%99%82",
  "self",
  "a%2Fb",
];

export function pathCases(): Case[] {
  const belowVoice = [
    "/model/{voice}/samples",
    "/model/{voice}/samples/1000",
    "/model/{voice}/samples/-1",
    "/model/{voice}/samples/00",
    "/model/{voice}/samples/0x0",
    "/model/{voice}/samples/%00",
    "/model/{voice}/samples/0/x",
    "/model/{voice}/cover",
    "/model/{voice}/cover/x",
    `/model/{voice}/${CANARY}`,
    "/model/{voice}/..%2f..",
    "/model/a/b/c/d/e",
  ];
  return [
    ...nowhere.map((path) => httpCase(`GET ${path.slice(0, 60)}`, { method: "GET", path, expected: found404 })),
    ...nowhere
      .filter((_, index) => index % 3 === 0)
      .map((path) =>
        httpCase(`POST ${path.slice(0, 60)}`, {
          path,
          headers: { "content-type": JSON_TYPE },
          body: Buffer.from(JSON.stringify(goodSpeech)),
          expected: found404,
        }),
      ),
    ...noVoices.map((id) =>
      httpCase(`GET /model/${id.slice(0, 40)}`, { method: "GET", path: `/model/${id}`, expected: found404 }),
    ),
    ...noVoices.map((id) =>
      httpCase(`DELETE /model/${id.slice(0, 40)}`, { method: "DELETE", path: `/model/${id}`, expected: found404 }),
    ),
    ...noVoices.map((id) =>
      httpCase(`PATCH /model/${id.slice(0, 40)}`, {
        method: "PATCH",
        path: `/model/${id}`,
        headers: { "content-type": JSON_TYPE },
        body: Buffer.from("{}"),
        expected: found404,
      }),
    ),
    ...belowVoice.map((path) => httpCase(`GET ${path}`, { method: "GET", path, expected: found404 })),
    ...["other", "%00", "%zz", "SELF", CANARY, "..", "0"].flatMap((user) =>
      ["api-credit", "package"].map((part) =>
        httpCase(`GET /wallet/${user}/${part}`, { method: "GET", path: `/wallet/${user}/${part}`, expected: found404 }),
      ),
    ),
    ...["/wallet/self", "/wallet/self/", "/wallet/self/x", "/wallet/self/package/x", "/wallet/api-credit"].map((path) =>
      httpCase(`GET ${path}`, { method: "GET", path, expected: found404 }),
    ),
    // A client whose base address ends in a slash, or that ends its paths in one.
    ...[
      "//model?page_size=1",
      "//wallet/self/package",
      "/model/?page_size=1",
      "//model/{voice}/",
      "/health/",
      "/openapi.json/",
    ].map((path) => httpCase(`GET ${path}`, { method: "GET", path, expected: success(200) })),
  ];
}

const notAllowed = error("method_not_allowed");

export function methodCases(): Case[] {
  const post = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY", "SEARCH", "MKCOL", "LOCK"];
  const get = ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "SEARCH"];
  const wrong: [path: string, methods: string[]][] = [
    ["/v1/tts", post],
    [SPEECH_EVENTS, post],
    ["/model", ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "SEARCH"]],
    ["/model/{voice}", ["POST", "PUT", "TRACE", "PROPFIND", "SEARCH"]],
    ["/model/{voice}/cover", ["POST", "PUT", "PATCH", "DELETE"]],
    ["/wallet/self/api-credit", get],
    ["/wallet/self/package", get],
    ["/health", get],
    ["/ready", get],
    ["/metrics", get],
    ["/openapi.json", get],
    ["/docs", get],
    ["/", get],
  ];
  const live = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"];
  const preflights = ["/v1/tts", SPEECH_EVENTS, "/model", "/model/{voice}", "/wallet/self/package", "/health"];
  return [
    ...wrong.flatMap(([path, methods]) =>
      methods.map((method) => httpCase(`${method} ${path}`, { method, path, expected: notAllowed })),
    ),
    ...["GET", "TRACE", "PROPFIND"].map((method) =>
      httpCase(`${method} of nothing`, { method, path: `/${CANARY}`, expected: found404 }),
    ),
    ...["/v1/tts/live", "/v1/tts/live/"].flatMap((path) =>
      live.map((method) =>
        httpCase(`${method} without an upgrade on ${path}`, {
          method,
          path,
          expected: method === "GET" || method === "HEAD" ? error("upgrade_required") : notAllowed,
        }),
      ),
    ),
    httpCase("an upgrade to another protocol", {
      method: "GET",
      path: "/v1/tts/live",
      headers: { connection: "Upgrade", upgrade: "h2c" },
      expected: error("upgrade_required"),
    }),
    ...preflights.map((path) =>
      httpCase(`OPTIONS ${path}`, {
        method: "OPTIONS",
        path,
        expected: success(204),
        headers: {
          authorization: "",
          origin: "https://example.com",
          "access-control-request-method": "POST",
          "access-control-request-headers": `x-${CANARY}`,
        },
      }),
    ),
    httpCase("OPTIONS of nothing", {
      method: "OPTIONS",
      path: `/${CANARY}`,
      headers: { authorization: "" },
      expected: found404,
    }),
    ...["/model?page_size=1", "/model/{voice}", "/wallet/self/package", "/health", "/"].map((path) =>
      httpCase(`HEAD ${path}`, { method: "HEAD", path, expected: success(200) }),
    ),
    httpCase("HEAD of a voice that is not there", {
      method: "HEAD",
      path: `/model/${"f".repeat(32)}`,
      expected: found404,
    }),
  ];
}

/** Queries of `/model` and `/wallet`. */
export function queryCases(): Case[] {
  const wrong: [name: string, values: string[]][] = [
    [
      "page_size",
      [
        "0",
        "-1",
        "101",
        "1000000",
        "99999999999999999999",
        "1.5",
        "1e2",
        "0x10",
        "",
        "abc",
        CANARY,
        "null",
        "true",
        "10;",
        "%00",
        "١٠",
        "1,000",
        "NaN",
      ].map(encodeURI),
    ],
    ["page_number", ["0", "-1", "1.5", "", "x", "99999999999999999999", "1e9", "%20", "+"]],
    ["self", ["maybe", "2", "", "nul", CANARY, "truefalse"]],
    ["sort_by", ["", "name", "SCORE", "score,task_count", CANARY, "created_at%20desc", "%00"]],
  ];
  const right = [
    "page_size=1&page_number=9007199254740991",
    "page_size=100&page_number=100000000000000",
    "page_size=1&page_size=2",
    "self=true",
    "self=False",
    "sort_by=task_count",
    "sort_by=created_at",
    `title=${CANARY}`,
    "title=%00",
    "title=%ff%fe",
    "title=%25_%25",
    "title='%3B%20DROP%20TABLE%20voices%3B--",
    "title=%F0%9F%99%82",
    `title=${"x".repeat(7000)}`,
    "title=",
    "tag=%00",
    "tag=",
    `${"tag=a&".repeat(1000)}tag=b`,
    "tag=%7Ba%2Cb%7D",
    "tag=%22",
    "language=xx&language=%00",
    "title_language=%5C",
    "author_id=%00",
    "author_id=x",
    "unknown=1",
    "__proto__=1",
    "&&&",
    "=",
    "%=1",
    "constructor=1",
    "page_size=%35",
  ];
  const credit = ["check_free_credit=true", "check_free_credit=0", "team_id=", "unknown=1"];
  return [
    ...wrong.flatMap(([name, values]) =>
      values.map((value) =>
        httpCase(`list with ${name}=${value}`, {
          method: "GET",
          path: `/model?${name}=${value}`,
          expected: [{ kind: "problem", loc: ["query", name] }],
        }),
      ),
    ),
    ...right.map((query) =>
      httpCase(`list with ${query.slice(0, 60)}`, { method: "GET", path: `/model?${query}`, expected: success(200) }),
    ),
    ...credit.map((query) =>
      httpCase(`credit with ${query}`, {
        method: "GET",
        path: `/wallet/self/api-credit?${query}`,
        expected: success(200),
      }),
    ),
    ...["maybe", CANARY, "2", ""].map((value) =>
      httpCase(`credit with check_free_credit=${value}`, {
        method: "GET",
        path: `/wallet/self/api-credit?check_free_credit=${value}`,
        expected: [{ kind: "problem", loc: ["query", "check_free_credit"] }],
      }),
    ),
    ...["x", CANARY, "%00"].map((team) =>
      httpCase(`credit of team ${team}`, {
        method: "GET",
        path: `/wallet/self/api-credit?team_id=${team}`,
        expected: found404,
      }),
    ),
  ];
}
