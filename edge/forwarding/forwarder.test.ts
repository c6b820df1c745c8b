import { beforeEach, describe, expect, it } from "vitest";
import {
  type ForwardedRequest,
  type ForwardedResponse,
  MAX_INLINE_BODY_BYTES,
  type Principal,
} from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import { joinTrace } from "#common/tracing/traceparent";
import type { HttpRequest, HttpResponder } from "../http/exchange.js";
import { Router } from "#common/http/router";
import { Forwarder, type ForwarderOptions, forwardedRoutes } from "./forwarder.js";

const principal: Principal = {
  teamId: "t",
  userId: "u",
  keyId: "k",
  scopes: ["*"],
  hasCredit: true,
  betaAccess: false,
  maxConcurrentStreams: 0,
};

let stored: Map<string, Uint8Array>;
let seen: ForwardedRequest[];
let waitedMs: number;
let answer: () => Promise<ForwardedResponse>;
let sent: { status: number; headers: Record<string, string>; body: string } | null;

const bus: Pick<Bus, "request" | "objects"> = {
  request: async <T>(_subject: string, message: object, { timeoutMs }: { timeoutMs: number }) => {
    seen.push(message as ForwardedRequest);
    waitedMs = timeoutMs;
    return (await answer()) as T;
  },
  objects: () => ({
    put: async (name, bytes) => void stored.set(name, bytes),
    get: async (name) => stored.get(name) ?? null,
    names: async () => [...stored.keys()],
    delete: async (name) => void stored.delete(name),
  }),
};

const responder: HttpResponder = {
  begin: (status, headers) => {
    sent = { status, headers, body: "" };
  },
  write: () => true,
  writable: () => Promise.resolve(),
  end: (bytes) => {
    if (sent !== null) sent.body = Buffer.from(bytes ?? []).toString();
  },
  abort: () => undefined,
  begun: false,
  closed: new AbortController().signal,
};

function request(method: string, path: string, body = "", headers: Record<string, string> = {}): HttpRequest {
  return {
    method,
    path,
    query: "a=1&a=2",
    header: (name) => headers[name],
    remoteAddress: "127.0.0.1",
    trace: joinTrace(undefined),
    parameters: {},
    body: async () => {
      return Buffer.from(body);
    },
    stream: () => expect.unreachable(),
  };
}

const options: ForwarderOptions = {
  bus: bus as Bus,
  clock: new VirtualClock(),
  authenticate: async () => principal,
  log: createLogger("test", "fatal"),
};
const forwarder = (): Forwarder => new Forwarder(options);
const json = (status: number, body: string): ForwardedResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: Buffer.from(body),
});

beforeEach(() => {
  stored = new Map();
  seen = [];
  sent = null;
  answer = async () => json(200, "{}");
});

describe("Forwarder", () => {
  it("passes Authorization on only where the control plane reads it itself", async () => {
    const event = request("POST", "/livekit/events", "{}", { authorization: "Bearer of LiveKit" });
    await forwarder().forward(event, responder, null, 1000);
    await forwarder().forward(event, responder, null, 1000, { readsAuthorization: true });
    expect(seen.map(({ headers }) => headers["authorization"])).toEqual([undefined, "Bearer of LiveKit"]);
  });

  it("passes on what the control plane needs, and nothing secret", async () => {
    const headers = { authorization: "Bearer secret", "content-type": "application/json", cookie: "c", accept: "*/*" };
    const posted = request("POST", "/model", "{}", headers);
    await forwarder().forward(posted, responder, "voices", 1000);
    expect(seen[0]).toMatchObject({ method: "POST", path: "/model", query: "a=1&a=2", bodyObject: null, principal });
    expect(seen[0]?.requestId).toMatch(/^[0-9a-f]{32}$/);
    expect(seen[0]?.headers).toEqual({
      "content-type": "application/json",
      accept: "*/*",
      traceparent: `00-${posted.trace.traceId}-${posted.trace.spanId}-01`,
    });
    expect(sent).toEqual({ status: 200, headers: { "content-type": "application/json" }, body: "{}" });
  });

  it("asks for HEAD as for GET", async () => {
    await forwarder().forward(request("HEAD", "/model"), responder, "voices", 1000);
    expect(seen[0]?.method).toBe("GET");
  });

  it("sends a large body through the object store", async () => {
    const body = "x".repeat(600 * 1024);
    await forwarder().forward(request("POST", "/model", body), responder, "voices", 1000);
    expect(seen[0]?.body.byteLength).toBe(0);
    expect(Buffer.from(stored.get(seen[0]?.bodyObject ?? "") ?? []).toString()).toBe(body);
  });

  it("fetches a large answer from the object store, and removes it there", async () => {
    stored.set("big", Buffer.from("large answer"));
    answer = async () => ({ ...json(200, ""), bodyObject: "big" });
    await forwarder().forward(request("GET", "/model"), responder, "voices", 1000);
    expect(sent?.body).toBe("large answer");
    expect(stored.size).toBe(0);
  });

  it("removes a large body that nobody has taken", async () => {
    answer = () =>
      Promise.reject(new ServiceError("dependency_unavailable", { parameters: { dependency: "The control plane" } }));
    const large = request("POST", "/model", "x".repeat(MAX_INLINE_BODY_BYTES + 1));
    await expect(forwarder().forward(large, responder, "voices", 1000)).rejects.toMatchObject({
      code: "dependency_unavailable",
    });
    expect([seen[0]?.bodyObject === null, stored.size]).toEqual([false, 0]);
  });

  it("says which dependency is away", async () => {
    answer = async () => ({ ...json(200, ""), bodyObject: "lost" });
    const lost = forwarder().forward(request("GET", "/model"), responder, "voices", 1000);
    await expect(lost).rejects.toMatchObject({ code: "dependency_unavailable", status: 503 });
    answer = () =>
      Promise.reject(new ServiceError("dependency_unavailable", { parameters: { dependency: "The control plane" } }));
    await expect(forwarder().forward(request("GET", "/model"), responder, "voices", 1000)).rejects.toThrow(
      "The control plane is briefly unavailable",
    );
  });
});

describe("the widget's route", () => {
  const widget = forwardedRoutes({
    ...options,
    authenticate: () => Promise.reject(new ServiceError("unauthenticated")),
  });
  const open = new Router(widget);

  it("asks for no key, and is for every page", async () => {
    const match = open.match("GET", "/v1/agent/agents/1/widget");
    if (match.type !== "route") throw new Error("no route");
    await match.route.handle(
      request("GET", "/v1/agent/agents/1/widget", "", { origin: "https://a.example", authorization: "Bearer x" }),
      responder,
    );
    expect(seen[0]).toMatchObject({ principal: null, headers: { origin: "https://a.example" } });
    expect([sent?.status, match.route.isForEveryPage]).toEqual([200, true]);
  });
});

describe("a route whose key is optional", () => {
  const routeOf = (given: Partial<ForwarderOptions>) => {
    const match = new Router(forwardedRoutes({ ...options, ...given })).match("POST", "/v1/agent/sessions");
    if (match.type !== "route") throw new Error("no route");
    return match.route;
  };
  const post = (headers: Record<string, string>): HttpRequest => request("POST", "/v1/agent/sessions", "{}", headers);

  it.each([
    [{}],
    [{ authorization: "" }],
  ])("passes a request with %j on as nobody's, with its client's address", async (headers) => {
    const route = routeOf({ authenticate: () => expect.unreachable() });
    await route.handle(post({ ...headers, origin: "https://a.example" }), responder);
    expect(seen[0]).toMatchObject({
      principal: null,
      clientAddress: "127.0.0.1",
      headers: { origin: "https://a.example" },
    });
    expect(route.isForEveryPage).toBe(true);
  });

  it("passes a key's request on as its team's, without the address", async () => {
    await routeOf({}).handle(post({ authorization: "Bearer good" }), responder);
    expect([seen[0]?.principal, seen[0]?.clientAddress]).toEqual([principal, undefined]);
  });

  it("refuses a key that is no good, or does not cover the scope", async () => {
    const wrong = routeOf({ authenticate: () => Promise.reject(new ServiceError("invalid_token")) });
    const headers = { authorization: "Bearer wrong" };
    await expect(wrong.handle(post(headers), responder)).rejects.toMatchObject({ code: "invalid_token" });
    const speech = routeOf({ authenticate: async () => ({ ...principal, scopes: ["speech"] }) });
    await expect(speech.handle(post(headers), responder)).rejects.toMatchObject({ code: "missing_scope" });
    expect(seen).toEqual([]);
  });
});

describe("forwardedRoutes", () => {
  const router = new Router(forwardedRoutes(options));

  it.each([
    "/model",
    "/model/1",
    "/model/1/samples/0",
    "/wallet/self/api-credit",
    "/v1/agent/agents",
    "/v1/agent/agents/1/widget",
  ])("covers %s", (path) => {
    expect(router.match("GET", path).type).toBe("route");
  });

  it.each([
    ["/model", "GET, HEAD, OPTIONS, POST"],
    ["/model/1", "DELETE, GET, HEAD, OPTIONS, PATCH"],
    ["/wallet/self/package", "GET, HEAD, OPTIONS"],
    ["/v1/agent/agents/1/publish", "OPTIONS, POST"],
    ["/v1/agent/agents/1/widget/", "GET, HEAD, OPTIONS"],
  ])("takes at %s the methods that the control plane takes, and no other", (path, allow) => {
    const match = router.match("BREW", path);
    expect(match.type === "methods" && match.allow.join(", ")).toBe(allow);
  });

  it.each([
    ["POST", "/v1/agent/tools/1/test", 310_000],
    ["POST", "/v1/agent/tools", 30_000],
    ["POST", "/model", 30_000],
  ])("waits for the answer to %s %s for %i ms", async (method, path, timeoutMs) => {
    const match = router.match(method, path);
    if (match.type !== "route") throw new Error("no route");
    await match.route.handle(request(method, path), responder);
    expect([seen[0]?.principal, waitedMs]).toEqual([principal, timeoutMs]);
  });

  it.each([
    "/models",
    "/v1/agents",
    "/v1/agent",
    "/wallet",
    "/v1/agent/nothing",
    "/v1/agent/agents/1/versions/2/more",
    "/model/1/samples",
  ])("does not cover %s", (path) => {
    expect(router.match("GET", path).type).toBe("nothing");
  });
});
