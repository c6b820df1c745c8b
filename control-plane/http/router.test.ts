import { describe, expect, it } from "vitest";
import type { ForwardedRequest, Principal } from "#protocol/bus/control";
import { json, type Route } from "./route.js";
import { Router } from "./router.js";

const route = (method: Route["method"], path: string): Route => ({
  method,
  path,
  scope: "voices",
  handle: async ({ parameters, query }) => json(200, { method, path, parameters, query: [...query] }),
});
const router = new Router([
  route("GET", "/model"),
  route("POST", "/model"),
  route("GET", "/model/:id"),
  route("GET", "/model/:id/samples/:position"),
]);

const principal: Principal = {
  teamId: "t",
  userId: "u",
  keyId: "k",
  scopes: ["*"],
  hasCredit: true,
  betaAccess: false,
  maxConcurrentStreams: 0,
};

function request(method: string, path: string, change: Partial<ForwardedRequest> = {}): ForwardedRequest {
  return { method, path, query: "", headers: {}, body: new Uint8Array(0), bodyObject: null, principal, ...change };
}

const run = async (...given: Parameters<typeof request>): Promise<unknown> => {
  const { body } = await router.handle(request(...given), () => Promise.resolve(new Uint8Array(0)));
  return JSON.parse(Buffer.from(body).toString());
};

describe("Router", () => {
  it("fills decoded placeholders and the query", async () => {
    expect(await run("GET", "/model/a%2Fb/samples/0", { query: "x=1&x=2" })).toMatchObject({
      path: "/model/:id/samples/:position",
      parameters: { id: "a/b", position: "0" },
      query: [
        ["x", "1"],
        ["x", "2"],
      ],
    });
  });

  it("does not count empty segments", async () => {
    expect(await run("GET", "//model/")).toMatchObject({ path: "/model" });
  });

  it.each([
    ["GET", "/", "not_found"],
    ["GET", "/models", "not_found"],
    ["GET", "/model/a/samples", "not_found"],
    ["GET", "/model/%E0%A4%A", "not_found"],
    ["PUT", "/model", "method_not_allowed"],
    ["get", "/model", "method_not_allowed"],
  ])("refuses %s %s with %s", async (method, path, code) => {
    await expect(run(method, path)).rejects.toMatchObject({ code });
  });

  it("asks for a key, except on open routes, which are not told whose it is", async () => {
    await expect(run("GET", "/model", { principal: null })).rejects.toMatchObject({ code: "unauthenticated" });
    const open = new Router([
      {
        method: "GET",
        path: "/open",
        scope: null,
        handle: async (given) => json(200, { known: "principal" in given }),
      },
    ]);
    for (const caller of [null, principal]) {
      const { body } = await open.handle(request("GET", "/open", { principal: caller }), () =>
        Promise.resolve(new Uint8Array(0)),
      );
      expect(JSON.parse(Buffer.from(body).toString())).toEqual({ known: false });
    }
  });

  it("lets callers without a key in where it is optional, and holds a key to its scope all the same", async () => {
    const optional = new Router([
      {
        method: "POST",
        path: "/visit",
        scope: "agents",
        isKeyOptional: true,
        handleAnybody: async ({ principal: caller, clientAddress }) =>
          json(200, { team: caller?.teamId ?? null, clientAddress }),
      },
    ]);
    const ask = async (change: Partial<ForwardedRequest>): Promise<unknown> => {
      const { body } = await optional.handle(request("POST", "/visit", change), async () => new Uint8Array(0));
      return JSON.parse(Buffer.from(body).toString());
    };
    expect(await ask({ principal: null, clientAddress: "192.0.2.1" })).toEqual({
      team: null,
      clientAddress: "192.0.2.1",
    });
    expect(await ask({})).toEqual({ team: "t", clientAddress: null });
    await expect(ask({ principal: { ...principal, scopes: ["speech"] } })).rejects.toMatchObject({
      code: "missing_scope",
    });
  });

  it("asks for the route's scope", async () => {
    await expect(run("GET", "/model", { principal: { ...principal, scopes: ["speech"] } })).rejects.toMatchObject({
      code: "missing_scope",
    });
    await run("GET", "/model", { principal: { ...principal, scopes: ["voices"] } });
  });
});
