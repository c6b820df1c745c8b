import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { checkOwn } from "../agents/documents.js";
import { silentLog } from "../control-plane/databases.js";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { readToken, type RoomServerStandIn, startRoomServer } from "./room-server.js";
import { type RuntimeStandIn, startRuntime } from "./runtime.js";
import { model, startWorker, type WorkerStandIn } from "./worker.js";

const ORIGIN = "https://shop.example";
const SESSIONS = "/v1/agent/sessions";

describe("sessions through the edge of a real cluster", () => {
  let roomServer: RoomServerStandIn;
  let cluster: TestCluster;
  let bus: Bus;
  let runtime: RuntimeStandIn;
  let worker: WorkerStandIn;
  let agentId: string;

  beforeAll(async () => {
    roomServer = await startRoomServer();
    cluster = await startCluster({
      settings: {
        LIVEKIT_URL: roomServer.url,
        LIVEKIT_API_KEY: roomServer.apiKey,
        LIVEKIT_API_SECRET: roomServer.apiSecret,
        LIVEKIT_PUBLIC_URL: "https://rooms.example",
        PARLEY_CORS_ALLOWED_ORIGINS: "https://console.example",
        PARLEY_TRUSTED_PROXIES: "127.0.0.1",
        PARLEY_PUBLIC_SESSIONS_PER_ADDRESS: "1",
      },
    });
    bus = await connectNats({ url: cluster.natsUrl, name: "runtime", log: silentLog });
    // The cluster's own worker only speaks.
    worker = startWorker(bus, [model("asr", "transcribe")]);
    runtime = await startRuntime(bus);
    agentId = String((await ask("POST", "/v1/agent/agents", { body: { name: "Ann" } })).json["agent_id"]);
    await ask("PATCH", `/v1/agent/agents/${agentId}`, { body: { public_enabled: true, allowed_origins: [ORIGIN] } });
    await ask("POST", `/v1/agent/agents/${agentId}/publish`);
    await until(async () => (await ask("POST", SESSIONS, { body: { agent_id: agentId } })).status === 201, {
      withinMs: 15_000,
      what: "the control plane to know the runtime",
    });
  });
  afterAll(async () => {
    runtime?.kill();
    worker?.kill();
    await bus?.close();
    await cluster?.stop();
    await roomServer?.stop();
  });

  async function ask(
    method: string,
    path: string,
    options: { body?: unknown; key?: string | null; headers?: Record<string, string> } = {},
  ) {
    const { key = cluster.apiKey, body } = options;
    const response = await fetch(cluster.baseUrl + path, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const contentType = response.headers.get("content-type") ?? undefined;
    if (method !== "OPTIONS")
      expect(
        checkOwn({ method, path: path.split("?")[0] ?? "", status: response.status, contentType, text }),
      ).toBeNull();
    return {
      status: response.status,
      headers: response.headers,
      json: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  }
  const visit = async (address: string, headers: Record<string, string> = {}, body: object = {}) => {
    const answer = await ask("POST", SESSIONS, {
      body: { agent_id: agentId, ...body },
      key: null,
      headers: { "x-fish-sdk": "agent-client/1.0.0", "x-forwarded-for": address, ...headers },
    });
    return [
      answer.status,
      answer.headers.get("access-control-allow-origin"),
      answer.json["message"] ?? answer.json["transport"],
    ];
  };

  it("begin with a key, are talked in, and end", async () => {
    const { status, json } = await ask("POST", SESSIONS, { body: { agent_id: agentId } });
    expect([status, json["webrtc_url"]]).toEqual([201, "wss://rooms.example"]);
    readToken(String(json["token"]), roomServer.apiSecret);
    const sessionId = String(json["session_id"]);
    runtime.write(sessionId, { type: "caller-joined" });
    runtime.onEnd = () => runtime.write(sessionId, { type: "ended", reason: "requested", detail: null });
    expect((await ask("POST", `${SESSIONS}/${sessionId}/end`)).status).toBe(204);
    await until(async () => (await ask("GET", `${SESSIONS}/${sessionId}`)).json["status"] === "completed", {
      withinMs: 15_000,
      what: "the end of the session",
    });
    expect((await ask("GET", `${SESSIONS}?agent_id=${agentId}`)).json).toMatchObject({
      sessions: [{ session_id: sessionId }],
    });
  });

  it("begin without a key from an allowed page, and every page may read why not", async () => {
    expect(await visit("192.0.2.1", { origin: ORIGIN })).toEqual([201, "*", "livekit"]);
    expect(await visit("192.0.2.2", { origin: "https://other.example" })).toEqual([403, "*", "Origin not allowed"]);
    expect(await visit("192.0.2.2")).toEqual([403, "*", "Origin header is required for public agents"]);
    expect(await visit("192.0.2.2", { origin: ORIGIN }, { name: "n" })).toEqual([
      400,
      "*",
      "Only requests with an API key may set name",
    ]);
  });

  it("answer the preflight of the vendor's library, from any page", async () => {
    const { status, headers } = await ask("OPTIONS", SESSIONS, {
      key: null,
      headers: {
        origin: "https://other.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type, x-fish-sdk",
      },
    });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(headers.get("access-control-allow-headers")).toContain("x-fish-sdk");
    expect(headers.get("access-control-allow-methods")).toContain("POST");
  });

  it("count by the client's own address behind a trusted proxy", async () => {
    const outcomes = async (address: string) => [
      (await visit(address, { origin: ORIGIN }))[0],
      (await visit(address, { origin: ORIGIN }))[0],
    ];
    // A minute may begin between two: then both are its first.
    expect([
      [201, 429],
      [201, 201],
    ]).toContainEqual(await outcomes("192.0.2.7"));
    expect((await visit("192.0.2.8", { origin: ORIGIN }))[0]).toBe(201);
  });

  it("are refused to a key that is no good, a page's or not", async () => {
    const wrong = await ask("POST", SESSIONS, {
      body: { agent_id: agentId },
      key: "wrong",
      headers: { origin: ORIGIN },
    });
    expect([wrong.status, wrong.json["message"]]).toEqual([401, "Invalid token"]);
    const malformed = await ask("POST", SESSIONS, { body: {}, key: null, headers: { authorization: "Basic eA==" } });
    expect(malformed.status).toBe(401);
  });
});
