import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolEntity } from "#protocol/tools";
import { openDatabase } from "#control-plane/database/open";
import { engines, silentLog } from "../control-plane/databases.js";
import { postgresPrograms, startPostgres } from "../control-plane/postgres.js";
import { type Answer, type Platform, platformOn, startPlatform } from "./platform.js";

const CANARY = "c4n4ry";
const good = { name: "Tool", url: "https://203.0.114.7/" };
const header = (change: object) => ({ ...good, headers: [{ name: "X-Key", value: "v", ...change }] });
const long = (length: number): string => "x".repeat(length);

/** Bodies that break one rule each, and where the rule is. */
const invalid: [string, object, (string | number)[]][] = [
  ["no name", { url: good.url }, ["name"]],
  ["an empty name", { ...good, name: "" }, ["name"]],
  ["a long name", { ...good, name: long(121) }, ["name"]],
  ["a name with NUL", { ...good, name: `${CANARY}\u0000` }, ["name"]],
  ["half a surrogate", { ...good, name: `${CANARY}\ud800` }, ["name"]],
  ["a null", { ...good, description: null }, ["description"]],
  ["a long description", { ...good, description: long(2001) }, ["description"]],
  ["an unknown field", { ...good, folder: CANARY }, ["folder"]],
  ["an unknown type", { ...good, tool_type: CANARY }, ["tool_type"]],
  ["an unknown method", { ...good, method: "HEAD" }, ["method"]],
  ["a lower-case method", { ...good, method: "post" }, ["method"]],
  ["no url", { name: "Tool" }, ["url"]],
  ["a long url", { ...good, url: `https://203.0.114.7/${long(4000)}` }, ["url"]],
  ["a url that is none", { ...good, url: CANARY }, ["url"]],
  ["another scheme", { ...good, url: "ftp://203.0.114.7/" }, ["url"]],
  ["localhost", { ...good, url: "http://localhost/" }, ["url"]],
  ["a private address", { ...good, url: "http://192.168.1.1/" }, ["url"]],
  ["a private address in disguise", { ...good, url: "http://0xa9.0xfe.0xa9.0xfe/" }, ["url"]],
  ["the metadata endpoint", { ...good, url: "http://169.254.169.254/latest/" }, ["url"]],
  ["a mapped private address", { ...good, url: "http://[::ffff:10.0.0.1]/" }, ["url"]],
  ["credentials in the url", { ...good, url: `https://${CANARY}:p@203.0.114.7/` }, ["url"]],
  ["a placeholder for the host", { ...good, url: "https://{{h}}/", arguments: [{ name: "h" }] }, ["url"]],
  ["a placeholder for the port", { ...good, url: "https://203.0.114.7:{{p}}/", arguments: [{ name: "p" }] }, ["url"]],
  [
    "a placeholder for the password",
    { ...good, url: "https://u:{{p}}@203.0.114.7/", arguments: [{ name: "p" }] },
    ["url"],
  ],
  ["an undeclared placeholder", { ...good, body_template: `{{${CANARY}}}` }, ["body_template"]],
  ["an unknown system variable", { ...good, body_template: `{{system.${CANARY}}}` }, ["body_template"]],
  ["a long body", { ...good, body_template: long(100_001) }, ["body_template"]],
  ["a media type that is none", { ...good, content_type: `${CANARY}\r\nX: y` }, ["content_type"]],
  ["an argument without a name", { ...good, arguments: [{ description: "d" }] }, ["arguments", 0, "name"]],
  ["an empty argument name", { ...good, arguments: [{ name: "" }] }, ["arguments", 0, "name"]],
  ["a long argument name", { ...good, arguments: [{ name: long(65) }] }, ["arguments", 0, "name"]],
  [
    "a long argument description",
    { ...good, arguments: [{ name: "a", description: long(501) }] },
    ["arguments", 0, "description"],
  ],
  ["an argument called system", { ...good, arguments: [{ name: "system.today" }] }, ["arguments", 0, "name"]],
  ["an argument with braces", { ...good, arguments: [{ name: `${CANARY}}` }] }, ["arguments", 0, "name"]],
  ["an argument twice", { ...good, arguments: [{ name: CANARY }, { name: CANARY }] }, ["arguments", 1, "name"]],
  ["an unknown argument field", { ...good, arguments: [{ name: "a", type: CANARY }] }, ["arguments", 0, "type"]],
  ["a header line break", header({ value: `${CANARY}\r\nX: y` }), ["headers", 0, "value"]],
  ["a header outside of Latin-1", header({ value: `${CANARY} 名` }), ["headers", 0, "value"]],
  ["a long header", header({ value: long(4001) }), ["headers", 0, "value"]],
  ["a header name that is none", header({ name: `${CANARY}: x` }), ["headers", 0, "name"]],
  ["a header of the connection", header({ name: "Transfer-Encoding", value: CANARY }), ["headers", 0, "name"]],
  ["a header without a value", header({ value: undefined }), ["headers", 0, "value"]],
  ["a custom header of null", header({ value: null }), ["headers", 0, "value"]],
  [
    "a credential of null that was never stored",
    header({ value: null, kind: "authorization_basic" }),
    ["headers", 0, "value"],
  ],
  ["an unknown kind of header", header({ kind: CANARY }), ["headers", 0, "kind"]],
  ["a timeout of nothing", { ...good, timeout_seconds: 0 }, ["timeout_seconds"]],
  ["a fraction of a timeout", { ...good, timeout_seconds: 1.5 }, ["timeout_seconds"]],
  ["a long timeout", { ...good, timeout_seconds: 121 }, ["timeout_seconds"]],
  ["a long background timeout", { ...good, timeout_seconds: 301, execution_mode: "background" }, ["timeout_seconds"]],
  ["an unknown mode", { ...good, execution_mode: CANARY }, ["execution_mode"]],
  ["an unknown error handling", { ...good, error_handling: CANARY }, ["error_handling"]],
  ["a mock status below", { ...good, mock_responses: [{ status_code: 99 }] }, ["mock_responses", 0, "status_code"]],
  ["a mock status above", { ...good, mock_responses: [{ status_code: 600 }] }, ["mock_responses", 0, "status_code"]],
  ["a long mock body", { ...good, mock_responses: [{ body: long(100_001) }] }, ["mock_responses", 0, "body"]],
  ["a spoken client name", { name: `${CANARY} page`, tool_type: "client" }, ["name"]],
  ["a client tool with a url", { name: "open", tool_type: "client", url: good.url }, ["url"]],
  [
    "a client tool in the background",
    { name: "open", tool_type: "client", execution_mode: "background" },
    ["execution_mode"],
  ],
  ["an integration of nothing", { name: "Book", tool_type: "integration" }, ["integration"]],
  ["no object", [CANARY], []],
];

describe.each(engines)("what /v1/agent/tools refuses on %s", (engine) => {
  let platform: Platform;
  let own: string;
  beforeAll(async () => {
    platform = await startPlatform(engine);
    own = ((await platform.send(platform.team, "POST", "/v1/agent/tools", good)).json as ToolEntity).tool_id;
  });
  afterAll(() => platform.stop());

  const problemsOf = (answer: Answer): { loc: (string | number)[]; type: string; msg: string; ctx: object }[] =>
    answer.json as never;

  it.each(invalid)("422 for %s", async (_, body, loc) => {
    const answer = await platform.send(platform.team, "POST", "/v1/agent/tools", body);
    expect([answer.status, problemsOf(answer)[0]?.loc]).toEqual([422, ["body", ...loc]]);
    for (const problem of problemsOf(answer))
      expect(Object.keys(problem).sort()).toEqual(["ctx", "loc", "msg", "type"]);
    // An unknown field is named by its place; nothing else of what was sent comes back.
    expect(answer.text.replaceAll(`"${loc.at(-1)}"`, "")).not.toContain(CANARY);
  });

  it.each(
    invalid.filter(
      ([name]) =>
        !/^(no name|no url|an unknown type|an integration|a spoken client|a client tool|no object)/.test(name),
    ),
  )("422 for a patch with %s", async (_, body, loc) => {
    const answer = await platform.send(platform.team, "PATCH", `/v1/agent/tools/${own}`, body);
    expect([answer.status, problemsOf(answer)[0]?.loc]).toEqual([422, ["body", ...loc]]);
    expect(answer.text.replaceAll(`"${loc.at(-1)}"`, "")).not.toContain(CANARY);
  });

  it.each([
    "name",
    "description",
    "arguments",
    "method",
    "url",
    "content_type",
    "body_template",
    "headers",
    "timeout_seconds",
    "error_handling",
    "mock_responses",
    "expects_response",
    "execution_mode",
  ])("422 for a patch with null for %s", async (field) => {
    const answer = await platform.send(platform.team, "PATCH", `/v1/agent/tools/${own}`, { [field]: null });
    expect([answer.status, problemsOf(answer)[0]?.loc]).toEqual([422, ["body", field]]);
  });

  it("422 for a patch that would change the type", async () => {
    const answer = await platform.send(platform.team, "PATCH", `/v1/agent/tools/${own}`, { tool_type: "client" });
    expect(answer).toMatchObject({ status: 422, json: [{ type: "extra_forbidden", loc: ["body", "tool_type"] }] });
  });

  it("takes the longest of everything", async () => {
    const body = {
      name: long(120),
      description: long(2000),
      url: `https://203.0.114.7/${long(3980)}`,
      arguments: [{ name: long(64), description: long(500) }],
      body_template: long(100_000),
      headers: [{ name: long(128), value: long(4000) }],
      timeout_seconds: 120,
      mock_responses: [{ name: long(120), status_code: 599, body: long(100_000) }],
    };
    expect((await platform.send(platform.team, "POST", "/v1/agent/tools", body)).status).toBe(201);
  });

  it("400 for a body that is no JSON, 415 for none and for another content type, 413 for a huge one", async () => {
    const path = `/v1/agent/tools/${own}`;
    for (const [method, address] of [
      ["POST", "/v1/agent/tools"],
      ["PATCH", path],
      ["POST", `${path}/test`],
    ] as const) {
      const call = (contentType: string, body: string | Uint8Array) =>
        platform.call(platform.team, method, address, { contentType, body });
      expect(await call("application/json", "{")).toMatchObject({
        status: 400,
        json: { status: 400, message: "Malformed JSON" },
      });
      expect(await call("text/plain", "{}")).toMatchObject({ status: 415, text: "" });
      expect((await call("application/json", Buffer.alloc(8 * 1024 * 1024 + 1, "1"))).status).toBe(413);
      if (!address.endsWith("/test"))
        expect(await call("application/json", "")).toMatchObject({ status: 415, text: "" });
    }
  });

  it("403 for making tools without beta access, while reading stays possible", async () => {
    const answer = await platform.send(platform.noBeta, "POST", "/v1/agent/tools", good);
    expect(answer).toMatchObject({
      status: 403,
      json: { message: expect.stringMatching(/^Agent platform is in private beta/) },
    });
    expect((await platform.send(platform.noBeta, "GET", "/v1/agent/tools")).status).toBe(200);
  });

  it("403 for a key without the scope", async () => {
    expect((await platform.send({ ...platform.team, scopes: ["speech"] }, "GET", "/v1/agent/tools")).status).toBe(403);
  });

  it("answers another team byte for byte as for a missing tool, on every route", async () => {
    const missing = "0".repeat(32);
    const routes: [string, string, object?][] = [
      ["GET", ""],
      ["PATCH", "", { name: "x" }],
      ["PATCH", "", { name: null }],
      ["DELETE", ""],
      ["GET", "/agents"],
      ["POST", "/test", {}],
    ];
    for (const [method, suffix, body] of routes) {
      const answers = [];
      for (const id of [own, missing, "no-id", "%00"]) {
        answers.push(await platform.send(platform.otherTeam, method, `/v1/agent/tools/${id}${suffix}`, body));
      }
      expect(answers[0]?.status).toBe(404);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
    const attach = async (id: string): Promise<Answer> => {
      return await platform.send(platform.otherTeam, "POST", "/v1/agent/agents", {
        name: "A",
        config: { tools: { tool_ids: [id] } },
      });
    };
    expect((await attach(own)).status).toBe(422);
    expect(await attach(own)).toEqual(await attach(missing));
    expect((await platform.send(platform.team, "GET", `/v1/agent/tools/${own}`)).status).toBe(200);
  });

  it("405 for verbs that a path does not have", async () => {
    const answer = await platform.send(platform.team, "PUT", `/v1/agent/tools/${own}`, good);
    expect(answer).toMatchObject({ status: 405, headers: { allow: "DELETE, GET, HEAD, OPTIONS, PATCH" } });
  });
});

const programs = postgresPrograms();
it.skipIf(programs === null)("503 on every route while the database is away", async () => {
  const server = await startPostgres(programs ?? "");
  const database = await openDatabase({ url: server.url, dataDirectory: "", log: silentLog });
  const platform = await platformOn(database.db, () => database.close().finally(server.stop));
  await server.interrupt();
  const id = "0".repeat(32);
  const file = '--B\r\nContent-Disposition: form-data; name="source"; filename="a.md"\r\n\r\ntext\r\n--B--\r\n';
  const form = { contentType: "multipart/form-data; boundary=B", body: file };
  const body = { contentType: "application/json", body: JSON.stringify(good) };
  const away = {
    status: 503,
    json: { status: 503, message: "The database is briefly unavailable" },
    headers: { "retry-after": "1" },
  };
  for (const [root, given] of [
    ["/v1/agent/tools", body],
    ["/v1/agent/knowledge-sources", form],
  ] as const) {
    expect(await platform.call(platform.team, "GET", root)).toMatchObject(away);
    expect(await platform.call(platform.team, "POST", root, given)).toMatchObject(away);
    for (const method of ["GET", "PATCH", "DELETE"])
      expect(await platform.call(platform.team, method, `${root}/${id}`, given)).toMatchObject(away);
    expect(await platform.call(platform.team, "GET", `${root}/${id}/agents`)).toMatchObject(away);
  }
  await platform.stop();
});
