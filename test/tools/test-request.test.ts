import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newIdentifier } from "#common/identifier";
import { forwardedRequestSubject } from "#protocol/bus/control";
import { MAX_TEST_RESPONSE_BYTES, type ToolEntity, type ToolTestResult, toolTestResult } from "#protocol/tools";
import { startFixture } from "../control-plane/service.js";
import { addTeam } from "../control-plane/teams.js";
import { until } from "../harness/processes.js";
import { type Endpoint, startEndpoint } from "./endpoint.js";
import { type Answer, type Platform, startPlatform } from "./platform.js";

describe("POST /v1/agent/tools/{tool_id}/test", () => {
  let platform: Platform;
  let endpoint: Endpoint;
  beforeAll(async () => {
    [platform, endpoint] = await Promise.all([startPlatform("pglite"), startEndpoint()]);
  });
  afterAll(async () => {
    await Promise.all([platform.stop(), endpoint.stop()]);
  });
  beforeEach(() => {
    endpoint.received.length = 0;
    endpoint.answer = (response) => response.end("ok");
  });

  const create = async (change: object): Promise<string> => {
    const { json, status } = await platform.send(platform.team, "POST", "/v1/agent/tools", {
      name: "T",
      url: `${endpoint.url}/hook`,
      ...change,
    });
    expect(status).toBe(201);
    return (json as ToolEntity).tool_id;
  };
  const send = (toolId: string, body?: object): Promise<Answer> =>
    platform.send(platform.team, "POST", `/v1/agent/tools/${toolId}/test`, body);
  const test = async (change: object, given: object = {}): Promise<ToolTestResult> => {
    const { status, json } = await send(await create(change), { arguments: given });
    expect(status).toBe(200);
    return toolTestResult.strict().parse(json);
  };

  describe("a tool's credential, when the url changes", () => {
    let thief: Endpoint;
    beforeAll(async () => {
      thief = await startEndpoint();
    });
    afterAll(() => thief.stop());
    beforeEach(() => {
      thief.received.length = 0;
    });

    const bearer = (value: string | null) => ({ name: "Authorization", kind: "authorization_bearer", value });
    const basic = (value: string | null) => ({ name: "X-Basic", kind: "authorization_basic", value });
    const tool = (): Promise<string> => create({ headers: [bearer("Bearer canary"), basic("Basic canary")] });
    const patch = async (toolId: string, change: object): Promise<ToolEntity> => {
      const { status, json } = await platform.send(platform.team, "PATCH", `/v1/agent/tools/${toolId}`, change);
      expect(status).toBe(200);
      return json as ToolEntity;
    };
    const held = ({ headers }: ToolEntity): Record<string, boolean> =>
      Object.fromEntries(headers.map(({ name, has_secret }) => [name, has_secret]));
    const sent = ({ received }: Endpoint) =>
      received.map(({ headers }) => [headers["authorization"], headers["x-basic"]]);

    it.each<[string, object]>([
      ["alone", {}],
      ["with the headers as they were read", { headers: [bearer(null), basic(null)] }],
      ["with placeholders in its path", { path: "/{{system.today}}" }],
    ])("does not go along to another origin: the url %s", async (_what, {
      path = "/hook",
      ...change
    }: { path?: string }) => {
      const toolId = await tool();
      const moved = await patch(toolId, { url: `${thief.url}${path}`, ...change });
      expect(held(moved)).toEqual({ Authorization: false, "X-Basic": false });
      await send(toolId);
      expect(sent(thief)).toEqual([[undefined, undefined]]);
      // It is gone, not hidden: it does not come back with the url.
      expect(held(await patch(toolId, { url: `${endpoint.url}/hook`, headers: moved.headers }))).toEqual({
        Authorization: false,
        "X-Basic": false,
      });
      await send(toolId);
      expect(sent(endpoint)).toEqual([[undefined, undefined]]);
    });

    it("does not go along by way of another scheme", async () => {
      const toolId = await tool();
      expect(held(await patch(toolId, { url: `${endpoint.url.replace("http:", "https:")}/hook` }))).toEqual({
        Authorization: false,
        "X-Basic": false,
      });
    });

    it("goes along where it is sent again, and only that one", async () => {
      const toolId = await tool();
      const moved = await patch(toolId, { url: `${thief.url}/hook`, headers: [bearer("Bearer new"), basic(null)] });
      expect(held(moved)).toEqual({ Authorization: true, "X-Basic": false });
      await send(toolId);
      expect(sent(thief)).toEqual([["Bearer new", undefined]]);
    });

    it("stays where only the path changes, or nothing of the url", async () => {
      const toolId = await tool();
      for (const change of [
        { url: `${endpoint.url}/other/{{system.today}}?q={{system.today}}` },
        { url: `${endpoint.url}/hook`, headers: [basic(null), bearer(null)] },
        { description: "d" },
      ]) {
        expect(held(await patch(toolId, change))).toEqual({ Authorization: true, "X-Basic": true });
      }
      await send(toolId);
      expect(sent(endpoint)).toEqual([["Bearer canary", "Basic canary"]]);
    });

    it("is not shown by a change of its header's kind", async () => {
      const toolId = await tool();
      const change = { headers: [{ ...bearer(null), kind: "custom" }, basic(null)] };
      expect((await platform.send(platform.team, "PATCH", `/v1/agent/tools/${toolId}`, change)).status).toBe(422);
    });
  });

  it("sends headers and body filled, the url as saved, and tells all of the answer", async () => {
    endpoint.answer = (response) =>
      response.writeHead(418, { "content-type": "text/plain", "x-teapot": "1" }).end("short and stout");
    const result = await test(
      {
        url: `${endpoint.url}/orders/{{order}}?day={{ system.today }}`,
        arguments: [{ name: "order" }],
        headers: [
          { name: "X-Order", value: "<{{order}}> from [{{system.caller_number}}]" },
          { name: "Authorization", kind: "authorization_bearer", value: "Bearer sesame" },
        ],
        body_template: '{"order": {{order}}, "day": "{{system.today}}"}',
      },
      { order: "A 1", other: "unseen" },
    );
    expect(result).toMatchObject({
      status_code: 418,
      response_body: "short and stout",
      response_truncated: false,
      error: null,
    });
    expect(result.response_headers).toMatchObject({ "x-teapot": "1", "content-type": "text/plain" });
    expect(endpoint.received).toMatchObject([
      {
        method: "POST",
        url: "/orders/%7B%7Border%7D%7D?day=%7B%7B%20system.today%20%7D%7D",
        headers: { "x-order": "<A 1> from []", authorization: "Bearer sesame", "content-type": "application/json" },
        body: '{"order": "A 1", "day": ""}',
      },
    ]);
  });

  it("goes round in a circle three times at most", async () => {
    const toolId = await create({ headers: [{ name: "X-Parley-Hops", value: "0" }] });
    const ask = (headers: Record<string, string>): Promise<Answer> =>
      platform.call(platform.team, "POST", `/v1/agent/tools/${toolId}/test`, { headers });
    // The tool is the service itself: what it is asked with, it asks itself with again.
    for (let hops: string | undefined; endpoint.received.length < 3; ) {
      expect((await ask(hops === undefined ? {} : { "x-parley-hops": hops })).json).toMatchObject({
        status_code: 200,
        error: null,
      });
      hops = String(endpoint.received.at(-1)?.headers["x-parley-hops"]);
    }
    expect(endpoint.received.map(({ headers }) => headers["x-parley-hops"])).toEqual(["1", "2", "3"]);
    expect((await ask({ "x-parley-hops": "3" })).json).toMatchObject({
      status_code: null,
      error: expect.stringMatching(/circle/),
    });
    expect((await ask({ "x-parley-hops": "many" })).json).toMatchObject({ status_code: 200 });
    expect(endpoint.received).toHaveLength(4);
  });

  it("takes system variables from an object named system", async () => {
    const headers = [{ name: "X-From", value: "{{system.caller_number}}" }];
    const template = { headers, content_type: "text/plain", body_template: "{{system.today}}!" };
    await test(template, { system: { caller_number: "+15551234567", today: "2026-11-20", unknown: "x" } });
    expect(endpoint.received).toMatchObject([
      { headers: { "x-from": "+15551234567", "content-type": "text/plain" }, body: "2026-11-20!" },
    ]);
  });

  it("needs no body of its own, and sends GET without one", async () => {
    const toolId = await create({ method: "GET", body_template: "not sent" });
    expect(await send(toolId)).toMatchObject({ status: 200, json: { status_code: 200, response_body: "ok" } });
    expect(endpoint.received).toMatchObject([{ method: "GET", body: "" }]);
    expect(endpoint.received[0]?.headers).not.toHaveProperty("content-type");
  });

  it("shows 64 KB of an answer, whole characters only, and says that there was more", async () => {
    endpoint.answer = (response) =>
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end("é".repeat(200_000));
    const cut = await test({});
    expect([cut.response_truncated, cut.response_body.length]).toEqual([true, MAX_TEST_RESPONSE_BYTES / 2]);
    endpoint.answer = (response) => response.end(`a${"é".repeat(200_000)}`);
    const odd = await test({});
    expect([odd.response_truncated, odd.response_body.length]).toEqual([true, MAX_TEST_RESPONSE_BYTES / 2]);
    expect(odd.response_body).not.toContain("\ufffd");
    endpoint.answer = (response) => response.end("x".repeat(MAX_TEST_RESPONSE_BYTES));
    const whole = await test({});
    expect([whole.response_truncated, whole.response_body.length]).toEqual([false, MAX_TEST_RESPONSE_BYTES]);
  });

  it("cuts a compressed answer by what it becomes", async () => {
    endpoint.answer = (response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(5_000_000, "z")));
    const result = await test({});
    expect([result.response_truncated, result.response_body.length]).toEqual([true, MAX_TEST_RESPONSE_BYTES]);
  });

  it("reads other charsets, and bytes that are no text", async () => {
    endpoint.answer = (response) =>
      response.writeHead(200, { "content-type": "text/plain; charset=ISO-8859-1" }).end(Buffer.from([0x63, 0xe9]));
    expect((await test({})).response_body).toBe("cé");
    endpoint.answer = (response) =>
      response.writeHead(200, { "content-type": "text/plain; charset=nonsense" }).end(Buffer.from([0x61, 0xff]));
    expect((await test({})).response_body).toBe("a\ufffd");
  });

  it("tells of a request without an answer", async () => {
    endpoint.answer = (response) => response.destroy();
    expect(await test({})).toMatchObject({
      status_code: null,
      response_body: "",
      response_headers: {},
      error: expect.stringMatching(/lost/),
    });
    endpoint.answer = () => undefined;
    const late = await test({ timeout_seconds: 1 });
    expect(late).toMatchObject({ status_code: null, error: expect.stringMatching(/in time/) });
    expect(late.latency_ms).toBeGreaterThanOrEqual(990);
    expect(await test({ url: "https://no-such-name.example/" })).toMatchObject({
      status_code: null,
      error: expect.any(String),
    });
  });

  it("does not follow a redirect to a private host, and drops credentials on the way to another one", async () => {
    endpoint.answer = (response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end();
    expect(await test({})).toMatchObject({ status_code: null, error: expect.stringMatching(/public/) });
    const other = await startEndpoint();
    endpoint.answer = (response) => response.writeHead(307, { location: `${other.url}/there` }).end();
    const headers = [
      { name: "Authorization", kind: "authorization_basic", value: "Basic c2VjcmV0" },
      { name: "X-Api-Key", value: "secret" },
    ];
    expect(await test({ headers, body_template: "{}" })).toMatchObject({ status_code: 200 });
    expect(other.received).toMatchObject([{ method: "POST", url: "/there", body: "{}" }]);
    expect(JSON.stringify(other.received)).not.toMatch(/secret|c2VjcmV0/);
    await other.stop();
  });

  it.each([
    ["a line break in a header", { order: "1\r\nX-Evil: 1" }],
    ["a line break in a system variable of a header", { order: "1", system: { caller_number: "a\nb" } }],
    ["an argument that is too long", { order: "x".repeat(10_001) }],
  ])("refuses %s, sends nothing and does not echo it", async (_, given) => {
    const change = {
      arguments: [{ name: "order" }],
      headers: [{ name: "X-Order", value: "{{order}} {{system.caller_number}}" }],
    };
    const answer = await send(await create(change), { arguments: given });
    expect(answer).toMatchObject({ status: 422, json: [{ loc: ["body", "arguments"] }] });
    expect(answer.text).not.toMatch(/Evil|xxx/);
    expect(endpoint.received).toEqual([]);
  });

  it("refuses bodies that are no arguments, and tools that have no endpoint", async () => {
    const toolId = await create({});
    expect(await send(toolId, { arguments: ["a"] })).toMatchObject({
      status: 422,
      json: [{ loc: ["body", "arguments"] }],
    });
    expect(await send(toolId, { parameters: {} })).toMatchObject({
      status: 422,
      json: [{ loc: ["body", "parameters"] }],
    });
    const client = await platform.send(platform.team, "POST", "/v1/agent/tools", {
      name: "open_page",
      tool_type: "client",
    });
    expect(await send((client.json as ToolEntity).tool_id)).toMatchObject({
      status: 422,
      json: [{ msg: "Only webhook tools can be tested" }],
    });
    expect(endpoint.received).toEqual([]);
  });

  it("works for a tool whose mock responses are set: mocks intercept nothing here", async () => {
    expect(await test({ mock_responses: [{ status_code: 500, body: "mock" }] })).toMatchObject({
      status_code: 200,
      response_body: "ok",
    });
  });
});

it("gives up a tool's test before the process ends, and still answers who asked", async () => {
  const [fixture, endpoint] = await Promise.all([startFixture("pglite", { allow: ["127.0.0.1"] }), startEndpoint()]);
  try {
    const principal = { ...(await addTeam(fixture.db)).principal, betaAccess: true };
    const requestId = newIdentifier();
    const ask = (path: string, body: object): ReturnType<typeof fixture.callJson> =>
      fixture.callJson(principal, "POST", path, {
        ...{ contentType: "application/json", body: JSON.stringify(body), requestId },
      });
    const { json } = await ask("/v1/agent/tools", { name: "T", url: endpoint.url, timeout_seconds: 120 });
    const arrived = new Promise<void>((resolve) => {
      endpoint.answer = () => resolve();
    });
    const answered = ask(`/v1/agent/tools/${(json as ToolEntity).tool_id}/test`, {});
    await arrived;
    // Whoever asks whether it is lost is told that it is not.
    await until(() => fixture.bus.isAnswered(forwardedRequestSubject(requestId)), {
      withinMs: 15_000,
      what: "the request to be claimed",
    });
    await fixture.drain(1000);
    expect(await answered).toMatchObject({
      status: 200,
      json: { status_code: null, error: "The request was cancelled" },
    });
  } finally {
    await Promise.all([fixture.stop(), endpoint.stop()]);
  }
});
