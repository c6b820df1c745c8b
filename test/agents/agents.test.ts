import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engines } from "../control-plane/databases.js";
import type { ServiceFixture } from "../control-plane/service.js";
import { addClient, clientOf, createAgent, startTeams, type TeamClient } from "./client.js";

/** An address literal: judged without asking any name server. */
const PUBLIC_URL = "https://93.184.216.34/hook";
const missing = "f".repeat(32);

describe.each(engines)("agents on %s", (engine) => {
  let fixture: ServiceFixture;
  let team: TeamClient;
  let other: TeamClient;

  beforeAll(async () => {
    ({ fixture, team, other } = await startTeams(engine));
  });
  afterAll(() => fixture.stop());

  it("lives: created, read, changed, archived, deleted", async () => {
    const created = await team.ask("POST", "/v1/agent/agents", { name: "Ann", description: "first" });
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      agent_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      workspace_id: team.principal.teamId,
      name: "Ann",
      description: "first",
      status: "active",
      publication_state: "draft",
      public_enabled: false,
      allowed_origins: [],
      overrides_allowed: [],
      created_at: expect.stringMatching(/Z$/),
      updated_at: created.json["created_at"],
    });
    const path = `/v1/agent/agents/${String(created.json["agent_id"])}`;
    const change = {
      name: "Anna",
      description: "",
      status: "archived",
      public_enabled: true,
      allowed_origins: ["https://A.example/"],
      overrides_allowed: ["language"],
    };
    const changed = await team.ask("PATCH", path, change);
    expect(changed.json).toMatchObject({ ...change, allowed_origins: ["https://a.example"] });
    expect((await team.ask("GET", path)).json).toEqual(changed.json);
    expect(await team.ask("DELETE", path)).toMatchObject({ status: 204, text: "" });
    for (const method of ["GET", "DELETE"]) expect((await team.ask(method, path)).status).toBe(404);
  });

  it.each([
    [{}, ["body", "name"], "missing"],
    [{ name: "" }, ["body", "name"], "string_too_short"],
    [{ name: "x".repeat(121) }, ["body", "name"], "string_too_long"],
    [{ name: "a", description: "x".repeat(2001) }, ["body", "description"], "string_too_long"],
    [{ name: "a", extra: 1 }, ["body", "extra"], "extra_forbidden"],
    [{ name: "a\u0000" }, ["body", "name"], "value_error"],
    [{ name: "a", config: { voice: { voice_id: null } } }, ["body", "config", "voice", "voice_id"], "string_type"],
    [
      { name: "a", config: { tools: { tool_ids: [missing] } } },
      ["body", "config", "tools", "tool_ids", 0],
      "unknown_reference",
    ],
    [
      { name: "a", config: { knowledge_base: { knowledge_source_ids: ["no id"] } } },
      ["body", "config", "knowledge_base", "knowledge_source_ids", 0],
      "unknown_reference",
    ],
    [
      { name: "a", config: { webhooks: { post_call: { url: "http://127.0.0.1/x" } } } },
      ["body", "config", "webhooks", "post_call", 0, "url"],
      "url_not_allowed",
    ],
    [[], ["body"], "dict_type"],
  ])("refuses to create from %j", async (body, loc, type) => {
    const before = (await team.ask("GET", "/v1/agent/agents?page=1")).json["total"];
    const { status, json, text } = await team.ask("POST", "/v1/agent/agents", body);
    expect([status, json]).toEqual([
      422,
      [{ type, loc, msg: expect.any(String) as string, ctx: expect.any(Object) as object }],
    ]);
    expect(text).not.toContain("127.0.0.1");
    expect((await team.ask("GET", "/v1/agent/agents?page=1")).json["total"]).toBe(before);
  });

  it("refuses bodies that are none", async () => {
    const call = async (body: string, contentType?: string): Promise<number> =>
      (await fixture.call(team.principal, "POST", "/v1/agent/agents", { body, contentType })).status;
    expect(await call("{}", "text/plain")).toBe(415);
    expect(await call("", "application/json")).toBe(415);
    expect(await call("{", "application/json")).toBe(400);
  });

  it("asks for beta access and for the scope", async () => {
    const closed = await addClient(fixture, { betaAccess: false });
    expect(await closed.ask("POST", "/v1/agent/agents", { nonsense: true })).toMatchObject({
      status: 403,
      json: { message: expect.stringMatching(/^Agent platform is in private beta/) as string },
    });
    expect((await closed.ask("GET", "/v1/agent/agents")).json).toMatchObject({ agents: [] });
    const speech = await addClient(fixture, { scopes: ["speech"] });
    expect((await speech.ask("GET", "/v1/agent/agents")).status).toBe(403);
    expect((await clientOf(fixture, null)("GET", "/v1/agent/agents")).status).toBe(401);
  });

  it("reads the default configuration and merges into it", async () => {
    const path = `/v1/agent/agents/${await createAgent(team, { name: "c", config: { prompt: { system_prompt: "Be kind." }, voice: { expressive: true } } })}/config`;
    const first = (await team.ask("GET", path)).json;
    expect(first).toMatchObject({
      prompt: { system_prompt: "Be kind.", first_message_mode: "prompt" },
      voice: { expressive: true, speaking_language: "en" },
      conversation: {
        max_duration_seconds: 1800,
        outbound: { amd_enabled: true, voicemail: { action: "hangup", message: "" } },
        transfer_destinations: [],
      },
      webhooks: { conversation_init: null, post_call: [] },
      analysis: { summary: { enabled: true, prompt: "", language: "en" } },
      llm: { tier: "medium", custom: null },
    });
    const patched = await team.ask("PATCH", path, {
      prompt: { first_message: "" },
      conversation: { timezone: "Europe/Berlin", max_duration_seconds: 60 },
    });
    expect([patched.status, patched.json["prompt"]]).toEqual([
      200,
      { ...(first["prompt"] as object), first_message: "" },
    ]);
    expect(patched.json["config_hash"]).not.toBe(first["config_hash"]);
    expect((await team.ask("GET", path)).json).toEqual(patched.json);
    const back = await team.ask("PATCH", path, {
      prompt: { first_message: (first["prompt"] as Record<string, unknown>)["first_message"] },
      conversation: { timezone: "", max_duration_seconds: 1800 },
    });
    expect(back.json["config_hash"]).toBe(first["config_hash"]);
  });

  it("never shows a secret, and changes nothing when a part is refused, or when all that was shown comes back", async () => {
    const path = `/v1/agent/agents/${await createAgent(team)}/config`;
    const { json, text } = await team.ask("PATCH", path, {
      webhooks: {
        post_call: { url: PUBLIC_URL, secret: "canary" },
        conversation_init: { url: PUBLIC_URL, secret: "canary" },
      },
    });
    expect(json["webhooks"]).toEqual({
      post_call: [{ url: PUBLIC_URL, has_secret: true }],
      conversation_init: { url: PUBLIC_URL, has_secret: true, timeout_seconds: 5 },
    });
    expect(text + (await team.ask("GET", path)).text).not.toContain("canary");
    for (const patch of [
      { prompt: { system_prompt: "new" }, tools: { tool_ids: [missing] } },
      { prompt: { system_prompt: "word ".repeat(5000) } },
      { prompt: null },
    ]) {
      const refused = await team.ask("PATCH", path, patch);
      expect([refused.status, (await team.ask("GET", path)).json]).toEqual([422, json]);
    }
    const { agent_id: _id, config_hash: hash, updated_at: _at, ...sections } = json;
    expect(await team.ask("PATCH", path, sections)).toMatchObject({
      status: 200,
      json: { config_hash: hash, ...sections },
    });
  });

  it("publishes frozen versions, and the same one while the draft is unchanged", async () => {
    const agentId = await createAgent(team);
    const path = `/v1/agent/agents/${agentId}`;
    const first = await team.ask("POST", `${path}/publish`, { version_title: "one", version_description: "the first" });
    expect(first).toMatchObject({
      status: 200,
      json: { version_number: 1, version_title: "one", version_description: "the first" },
    });
    expect((await team.ask("POST", `${path}/publish`)).json).toEqual(first.json);
    expect((await team.ask("GET", path)).json["publication_state"]).toBe("live");
    expect((await team.ask("GET", `${path}/config`)).json["config_hash"]).toBe(first.json["config_hash"]);
    await team.ask("PATCH", `${path}/config`, { prompt: { system_prompt: "changed" } });
    const frozen = await team.ask("GET", `${path}/versions/1`);
    expect(frozen.json).toMatchObject({
      ...first.json,
      config: { agent_id: agentId, config_hash: first.json["config_hash"], prompt: { system_prompt: "" } },
    });
    expect((await team.ask("POST", `${path}/publish`, {})).json).toMatchObject({
      version_number: 2,
      version_title: null,
    });
    expect((await team.ask("GET", `${path}/versions/1`)).json).toEqual(frozen.json);
    expect((await team.ask("GET", `${path}/versions`)).json).toMatchObject({
      versions: [{ version_number: 2 }, { version_number: 1 }],
      has_more: false,
      next_cursor: null,
      total: null,
    });
    for (const number of ["0", "3", "x", "1.0", "-1", "1e0", "99999999999", "%00"])
      expect((await team.ask("GET", `${path}/versions/${number}`)).status).toBe(404);
    expect((await team.ask("POST", `${path}/publish`, { version_title: "x".repeat(121) })).status).toBe(422);
    expect((await team.ask("POST", `${path}/publish`, { other: 1 })).status).toBe(422);
    await team.ask("PATCH", path, { status: "archived" });
    expect((await team.ask("POST", `${path}/publish`)).status).toBe(409);
  });

  it("restores a version into the draft, secrets included, without what was deleted since", async () => {
    const made = async (name: string): Promise<string> =>
      String((await team.ask("POST", "/v1/agent/tools", { name, url: PUBLIC_URL })).json["tool_id"]);
    const [stays, goes] = [await made("stays"), await made("goes")];
    const config = {
      prompt: { system_prompt: "first" },
      tools: { tool_ids: [goes, stays] },
      webhooks: { post_call: [{ url: PUBLIC_URL, secret: "topsecret" }] },
    };
    const path = `/v1/agent/agents/${await createAgent(team, { name: "r", config })}`;
    const restore = (number: number | string, as = team) => as.ask("POST", `${path}/versions/${number}/restore`);
    const first = await team.ask("POST", `${path}/publish`);
    const changed = { prompt: { system_prompt: "second" }, tools: { tool_ids: [] }, webhooks: { post_call: [] } };
    await team.ask("PATCH", `${path}/config`, changed);
    const second = await team.ask("POST", `${path}/publish`);
    const whole = await restore(1);
    expect(whole).toMatchObject({
      status: 200,
      json: {
        config_hash: first.json["config_hash"],
        prompt: config.prompt,
        tools: config.tools,
        webhooks: { post_call: [{ url: PUBLIC_URL, has_secret: true }] },
      },
    });
    expect((await team.ask("GET", `${path}/config`)).json).toEqual(whole.json);
    expect((await restore(2)).json).toMatchObject({ ...changed, config_hash: second.json["config_hash"] });
    expect((await team.ask("DELETE", `/v1/agent/tools/${goes}`)).status).toBe(204);
    expect((await restore(1)).json).toMatchObject({ prompt: config.prompt, tools: { tool_ids: [stays] } });
    // Versions are what they were, and the next one comes after all of them.
    expect((await team.ask("GET", `${path}/versions/1`)).json).toMatchObject({ config: { tools: config.tools } });
    expect((await team.ask("POST", `${path}/publish`)).json).toMatchObject({ version_number: 3 });
    for (const number of ["0", "4", "x"]) expect((await restore(number)).status).toBe(404);
    expect((await restore(1, other)).status).toBe(404);
  });

  it("gives an agent with a changed tool unpublished changes", async () => {
    const tool = await team.ask("POST", "/v1/agent/tools", {
      name: "look up",
      tool_type: "webhook",
      method: "GET",
      url: PUBLIC_URL,
    });
    expect(tool.status).toBe(201);
    const toolPath = `/v1/agent/tools/${String(tool.json["tool_id"])}`;
    const path = `/v1/agent/agents/${await createAgent(team, { name: "t", config: { tools: { tool_ids: [tool.json["tool_id"]] } } })}`;
    const live = (await team.ask("POST", `${path}/publish`)).json["config_hash"];
    expect((await team.ask("DELETE", toolPath)).status).toBe(409);
    await team.ask("PATCH", toolPath, { description: "another" });
    expect((await team.ask("GET", `${path}/config`)).json["config_hash"]).not.toBe(live);
    expect((await team.ask("POST", `${path}/publish`)).json["version_number"]).toBe(2);
    await team.ask("PATCH", `${path}/config`, { tools: { tool_ids: [] } });
    expect((await team.ask("DELETE", toolPath)).status).toBe(204);
    expect((await team.ask("GET", `${path}/versions/2`)).json["config"]).toMatchObject({
      tools: { tool_ids: [tool.json["tool_id"]] },
    });
  });

  it("lists by search, state and status", async () => {
    const own = await addClient(fixture);
    const names = ["Alpha", "beta ÄRGER", "Gamma", "50% off_"];
    const ids: string[] = [];
    for (const name of names) ids.push(await createAgent(own, { name, description: `about ${name}` }));
    await own.ask("PATCH", `/v1/agent/agents/${ids[2]}`, { status: "archived" });
    await own.ask("POST", `/v1/agent/agents/${ids[0]}/publish`);
    const listed = async (query: string): Promise<unknown[]> =>
      ((await own.ask("GET", `/v1/agent/agents?${query}`)).json["agents"] as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await listed("")).toEqual(["50% off_", "beta ÄRGER", "Alpha"]);
    expect(await listed("include_archived=true")).toEqual([...names].reverse());
    expect(await listed("publication_state=live")).toEqual(["Alpha"]);
    expect(await listed("publication_state=draft")).toEqual(["50% off_", "beta ÄRGER"]);
    expect(await listed("search=%C3%A4rger")).toEqual(["beta ÄRGER"]);
    expect(await listed("search=ABOUT")).toHaveLength(3);
    expect(await listed("search=%25%20o")).toEqual(["50% off_"]);
    expect(await listed("search=%00")).toEqual([]);
    expect((await own.ask("GET", "/v1/agent/agents?publication_state=other")).status).toBe(422);
  });

  it.each([
    ["page=1&cursor=x", 400],
    ["cursor=x", 400],
    ["cursor=", 400],
    ["page=100002&page_size=1", 400],
    ["page=0", 422],
    ["page=x", 422],
    ["page_size=0", 422],
    ["page_size=101", 422],
    ["include_total=perhaps", 422],
    ["page=1001&page_size=100", 200],
  ])("answers the page ?%s with %i, for agents and for versions", async (query, status) => {
    const id = await createAgent(team);
    for (const list of ["/v1/agent/agents", `/v1/agent/agents/${id}/versions`])
      expect((await team.ask("GET", `${list}?${query}`)).status).toBe(status);
  });

  it("shows the widget to allowed origins only, without a key", async () => {
    const visitor = clientOf(fixture, null);
    const path = `/v1/agent/agents/${await createAgent(team, { name: "Public Ann" })}`;
    const messages = async (origin?: string): Promise<unknown[]> => {
      const { status, json } = await visitor(
        "GET",
        `${path}/widget`,
        undefined,
        origin === undefined ? {} : { origin },
      );
      return [status, json["message"] ?? json];
    };
    expect(await messages("https://a.example")).toEqual([403, "Agent is not public"]);
    await team.ask("PATCH", path, { public_enabled: true, allowed_origins: ["https://a.example"] });
    expect(await messages("https://a.example")).toEqual([403, "Agent is not public"]);
    await team.ask("POST", `${path}/publish`);
    expect(await messages()).toEqual([403, "Origin header is required for public agents"]);
    expect(await messages("https://b.example")).toEqual([403, "Origin not allowed"]);
    expect(await messages("https://A.example")).toEqual([200, { agent_name: "Public Ann" }]);
    expect((await visitor("GET", `/v1/agent/agents/${missing}/widget`)).status).toBe(404);
  });
});
