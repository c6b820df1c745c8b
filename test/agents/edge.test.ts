import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { checkOwn } from "./documents.js";

describe("agents through the edge of a real cluster", () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startCluster({ settings: { PARLEY_CORS_ALLOWED_ORIGINS: "https://console.example" } });
  });
  afterAll(() => cluster.stop());

  async function ask(
    method: string,
    path: string,
    options: { body?: unknown; key?: string | null; origin?: string; fetchSite?: string } = {},
  ) {
    const headers: Record<string, string> = {};
    if (options.key !== null) headers["authorization"] = `Bearer ${options.key ?? cluster.apiKey}`;
    if (options.body !== undefined) headers["content-type"] = "application/json";
    if (options.origin !== undefined) headers["origin"] = options.origin;
    if (options.fetchSite !== undefined) headers["sec-fetch-site"] = options.fetchSite;
    const response = await fetch(cluster.baseUrl + path, {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
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
      json: text === "" ? null : (JSON.parse(text) as Record<string, unknown>),
    };
  }

  it("creates, configures, publishes and deletes", async () => {
    const created = await ask("POST", "/v1/agent/agents", { body: { name: "Ann" } });
    expect(created.status).toBe(201);
    const path = `/v1/agent/agents/${String(created.json?.["agent_id"])}`;
    const large = { prompt: { first_message: "ä".repeat(10_000) }, analysis: { criteria: [{ name: "polite" }] } };
    expect((await ask("PATCH", `${path}/config`, { body: large })).json).toMatchObject(large);
    expect(
      (await ask("PATCH", `${path}/config`, { body: { webhooks: { post_call: [{ url: "http://[::1]/" }] } } })).status,
    ).toBe(422);
    expect((await ask("POST", `${path}/publish`)).json).toMatchObject({ version_number: 1 });
    expect((await ask("GET", `${path}/versions/1`)).json).toMatchObject({ config: large });
    expect((await ask("GET", `${path}/versions/one`)).status).toBe(404);
    expect((await ask("GET", path, { key: null })).status).toBe(401);
    expect((await ask("DELETE", path)).status).toBe(204);
    expect((await ask("GET", path)).status).toBe(404);
  });

  it("lets every page read the widget's answers, and only those", async () => {
    const created = await ask("POST", "/v1/agent/agents", { body: { name: "Ann" } });
    const path = `/v1/agent/agents/${String(created.json?.["agent_id"])}`;
    const origin = "https://shop.example";
    const widget = async (options: { origin?: string; fetchSite?: string }) => {
      const { status, headers, json } = await ask("GET", `${path}/widget`, { key: null, ...options });
      return [status, headers.get("access-control-allow-origin"), json?.["message"] ?? json];
    };
    expect(await widget({ origin })).toEqual([403, "*", "Agent is not public"]);
    await ask("PATCH", path, { body: { public_enabled: true, allowed_origins: [`${origin}/`] } });
    await ask("POST", `${path}/publish`);
    expect(await widget({})).toEqual([403, "*", "Origin header is required for public agents"]);
    expect(await widget({ origin: "https://other.example" })).toEqual([403, "*", "Origin not allowed"]);
    expect(await widget({ fetchSite: "same-origin" })).toEqual([403, "*", "Origin not allowed"]);
    await ask("PATCH", path, { body: { allowed_origins: [origin, cluster.baseUrl] } });
    expect(await widget({ fetchSite: "same-origin" })).toEqual([200, "*", { agent_name: "Ann" }]);
    expect(await widget({ fetchSite: "cross-site" })).toEqual([
      ...[403, "*", "Origin header is required for public agents"],
    ]);
    expect(await widget({ origin })).toEqual([200, "*", { agent_name: "Ann" }]);
    expect((await ask("GET", path, { origin })).headers.get("access-control-allow-origin")).toBeNull();
    for (const [asked, allowed] of [
      [`${path}/widget`, "*"],
      [path, null],
    ] as const) {
      const { headers } = await ask("OPTIONS", asked, { key: null, origin });
      expect([asked, headers.get("access-control-allow-origin"), headers.get("access-control-allow-headers")]).toEqual([
        asked,
        allowed,
        expect.stringContaining("x-fish-sdk"),
      ]);
    }
    expect((await fetch(`${cluster.baseUrl}${path}/widget`, { method: "POST" })).status).toBe(405);
  });
});
