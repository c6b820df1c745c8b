import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tools } from "#control-plane/tools/table";
import { dependentAgents } from "#protocol/paging";
import { type ToolEntity, toolEntity, type ToolList, toolList } from "#protocol/tools";
import { engines } from "../control-plane/databases.js";
import { type Platform, startPlatform } from "./platform.js";

const URL_ROOT = "https://203.0.114.7/orders";
const minimal = { name: "Look up an order", url: URL_ROOT };
const bearer = (value: string | null) => ({ name: "Authorization", kind: "authorization_bearer", value });

describe.each(engines)("/v1/agent/tools on %s", (engine) => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform(engine);
  });
  afterAll(() => platform.stop());

  const create = async (body: object): Promise<ToolEntity> => {
    const { status, json } = await platform.send(platform.team, "POST", "/v1/agent/tools", body);
    expect(status).toBe(201);
    return toolEntity.strict().parse(json);
  };
  const attachTo = async (toolIds: string[], name = "Agent"): Promise<string> => {
    const { status, json } = await platform.send(platform.team, "POST", "/v1/agent/agents", {
      name,
      config: { tools: { tool_ids: toolIds } },
    });
    expect(status).toBe(201);
    return (json as { agent_id: string }).agent_id;
  };

  it("creates a tool with the API's defaults and shows it", async () => {
    const made = await create(minimal);
    expect(made).toMatchObject({
      ...minimal,
      workspace_id: platform.team.teamId,
      tool_type: "webhook",
      description: "",
      arguments: [],
      method: "POST",
      content_type: "application/json",
      body_template: "",
      headers: [],
      timeout_seconds: 30,
      error_handling: "passthrough",
      mock_responses: [],
      expects_response: true,
      execution_mode: "blocking",
      used_by: 0,
    });
    expect(made.created_at).toBe(made.updated_at);
    const { status, json } = await platform.send(platform.team, "GET", `/v1/agent/tools/${made.tool_id}`);
    expect([status, json]).toEqual([200, made]);
  });

  it("keeps every field of every kind", async () => {
    const webhook = {
      ...minimal,
      tool_type: "webhook",
      description: "Finds an order. Größe, 名前, 🙂.",
      arguments: [{ name: "order", description: "Its number." }],
      method: "PUT",
      url: `${URL_ROOT}/{{order}}?day={{system.today}}`,
      content_type: "text/plain",
      body_template: "{{order}} for {{system.caller_number}}",
      headers: [{ name: "X-Key", kind: "custom", value: "{{order}}", has_secret: false }],
      timeout_seconds: 300,
      error_handling: "hide",
      mock_responses: [{ name: "found", status_code: 404, content_type: "text/plain", body: "none" }],
      expects_response: false,
      execution_mode: "background",
    };
    expect(await create(webhook)).toMatchObject(webhook);
    const client = {
      name: "open_page",
      tool_type: "client",
      arguments: [{ name: "page", description: "" }],
      expects_response: false,
    };
    expect(await create(client)).toMatchObject({ ...client, url: "", method: "POST" });
    const integration = { name: "Book", tool_type: "integration", integration: "google_calendar:create_event" };
    expect(await create(integration)).toMatchObject(integration);
  });

  it("never shows credentials, keeps them sealed, and rotates them", async () => {
    const made = await create({ ...minimal, headers: [bearer("Bearer canary-one")] });
    expect(made.headers).toEqual([
      { name: "Authorization", kind: "authorization_bearer", value: null, has_secret: true },
    ]);
    const path = `/v1/agent/tools/${made.tool_id}`;
    const stored = async (): Promise<string> => {
      const [row] = await platform.db.select().from(tools).where(eq(tools.id, made.tool_id));
      return JSON.stringify(row);
    };
    const first = await stored();
    expect(first).not.toContain("canary");
    const kept = await platform.send(platform.team, "PATCH", path, { headers: made.headers });
    expect(kept.status).toBe(200);
    expect(JSON.parse(await stored()).secrets).toEqual(JSON.parse(first).secrets);
    const rotated = await platform.send(platform.team, "PATCH", path, { headers: [bearer("Bearer canary-two")] });
    expect(rotated.text).not.toContain("canary");
    expect(JSON.parse(await stored()).secrets).not.toEqual(JSON.parse(first).secrets);
    const dropped = await platform.send(platform.team, "PATCH", path, { headers: [] });
    expect((dropped.json as ToolEntity).headers).toEqual([]);
    expect(JSON.parse(await stored()).secrets).toEqual({});
  });

  it("changes only what a patch gives, and checks the whole", async () => {
    const made = await create({
      ...minimal,
      description: "before",
      arguments: [{ name: "a", description: "" }],
      body_template: "{{a}}",
    });
    const patch = (body: object) => platform.send(platform.team, "PATCH", `/v1/agent/tools/${made.tool_id}`, body);
    const { json } = await patch({ name: "Renamed", description: "" });
    expect(json).toEqual({ ...made, name: "Renamed", description: "", updated_at: (json as ToolEntity).updated_at });
    expect(Date.parse((json as ToolEntity).updated_at)).toBeGreaterThan(Date.parse(made.updated_at));
    expect(await patch({ arguments: [] })).toMatchObject({ status: 422, json: [{ loc: ["body", "body_template"] }] });
    expect((await patch({ arguments: [], body_template: "" })).status).toBe(200);
    expect(await patch({ timeout_seconds: 200 })).toMatchObject({
      status: 422,
      json: [{ loc: ["body", "timeout_seconds"] }],
    });
    expect((await patch({ timeout_seconds: 200, execution_mode: "background" })).status).toBe(200);
    expect(await patch({ execution_mode: "blocking" })).toMatchObject({
      status: 422,
      json: [{ loc: ["body", "timeout_seconds"] }],
    });
    expect(await patch({ url: "http://10.0.0.1/" })).toMatchObject({ status: 422, json: [{ loc: ["body", "url"] }] });
    expect(await patch({ url: "" })).toMatchObject({ status: 422, json: [{ loc: ["body", "url"] }] });
    const { json: after } = await platform.send(platform.team, "GET", `/v1/agent/tools/${made.tool_id}`);
    expect(after).toMatchObject({ name: "Renamed", url: URL_ROOT, timeout_seconds: 200, execution_mode: "background" });
  });

  it("loses none of several changes at once", async () => {
    const made = await create(minimal);
    const path = `/v1/agent/tools/${made.tool_id}`;
    const changes = [
      { description: "d" },
      { method: "GET" },
      { error_handling: "hide" },
      { expects_response: false },
      { name: "n" },
    ];
    const answers = await Promise.all(changes.map((change) => platform.send(platform.team, "PATCH", path, change)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    const { json } = await platform.send(platform.team, "GET", path);
    expect(json).toMatchObject(Object.assign({}, ...changes) as object);
  });

  it("tells which agents use a tool, and lets it go only when none does", async () => {
    const made = await create(minimal);
    const path = `/v1/agent/tools/${made.tool_id}`;
    const [first, second] = [await attachTo([made.tool_id], "First"), await attachTo([made.tool_id], "Second")];
    expect((await platform.send(platform.team, "GET", path)).json).toMatchObject({ used_by: 2 });
    const dependents = dependentAgents.parse((await platform.send(platform.team, "GET", `${path}/agents`)).json);
    expect(dependents.total).toBe(2);
    expect(new Set(dependents.agents.map((agent) => `${agent.name} ${agent.agent_id}`))).toEqual(
      new Set([`First ${first}`, `Second ${second}`]),
    );
    const refused = await platform.send(platform.team, "DELETE", path);
    expect(refused).toMatchObject({
      status: 409,
      json: { status: 409, message: expect.stringMatching(/^Tool is attached to 2 agent\(s\)/) },
    });
    expect((await platform.send(platform.team, "POST", `/v1/agent/agents/${first}/publish`, {})).status).toBe(200);
    for (const agentId of [first, second]) {
      await platform.send(platform.team, "PATCH", `/v1/agent/agents/${agentId}/config`, { tools: { tool_ids: [] } });
    }
    expect((await platform.send(platform.team, "GET", path)).json).toMatchObject({ used_by: 0 });
    // The first agent's published version still has the tool: it is a frozen copy and holds nothing back.
    const gone = await platform.send(platform.team, "DELETE", path);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await platform.send(platform.team, "DELETE", path)).status).toBe(404);
    const attach = await platform.send(platform.team, "PATCH", `/v1/agent/agents/${first}/config`, {
      tools: { tool_ids: [made.tool_id] },
    });
    expect(attach).toMatchObject({ status: 422, json: [{ loc: ["body", "tools", "tool_ids", 0] }] });
  });

  it("makes an agent's draft differ from its published version when a tool of it changes", async () => {
    const made = await create(minimal);
    const agentId = await attachTo([made.tool_id]);
    const hash = async (): Promise<string> => {
      const { json } = await platform.send(platform.team, "GET", `/v1/agent/agents/${agentId}/config`);
      return (json as { config_hash: string }).config_hash;
    };
    const before = await hash();
    await platform.send(platform.team, "PATCH", `/v1/agent/tools/${made.tool_id}`, { description: "edited" });
    expect(await hash()).not.toBe(before);
    await platform.send(platform.team, "PATCH", `/v1/agent/tools/${made.tool_id}`, { description: "" });
    expect(await hash()).toBe(before);
  });

  describe("the list", () => {
    const list = async (query: string): Promise<ToolList> => {
      const { status, json } = await platform.call(platform.otherTeam, "GET", "/v1/agent/tools", { query });
      expect(status).toBe(200);
      return toolList.parse(json);
    };
    const namesOf = ({ tools: rows }: ToolList): string[] => rows.map((row) => row.name);
    const names = ["Alpha", "beta", "Gamma", "ALPHABET", "Épsilon"];
    const ids = new Map<string, string>();
    beforeAll(async () => {
      for (const name of names) {
        const { json } = await platform.send(platform.otherTeam, "POST", "/v1/agent/tools", { name, url: URL_ROOT });
        ids.set(name, (json as ToolEntity).tool_id);
      }
    });

    it("shows the team's own tools, newest first", async () => {
      const all = await list("");
      expect(namesOf(all)).toEqual(names.toReversed());
      expect(all).toMatchObject({ has_more: false, next_cursor: null, total: null });
    });

    it("leads through every row once by cursor, and by page with a total", async () => {
      const first = await list("page_size=2&include_total=true");
      expect(first).toMatchObject({ has_more: true, total: 5 });
      const second = await list(`page_size=2&cursor=${first.next_cursor}`);
      const third = await list(`page_size=2&cursor=${second.next_cursor}`);
      expect([first, second, third].flatMap(namesOf)).toEqual(names.toReversed());
      expect(third).toMatchObject({ has_more: false, next_cursor: null });
      const page = await list("page=2&page_size=2");
      expect([namesOf(page), page.total, page.has_more]).toEqual([namesOf(second), 5, true]);
      expect(namesOf(await list(`page_size=2&cursor=${page.next_cursor}`))).toEqual(namesOf(third));
      expect(await list("page=9&page_size=2")).toMatchObject({ tools: [], total: 5, has_more: false });
    });

    it("filters by a part of the name in any case, and by agent", async () => {
      expect(namesOf(await list("search=alpha"))).toEqual(["ALPHABET", "Alpha"]);
      expect(namesOf(await list("search=%C3%89PS"))).toEqual(["Épsilon"]);
      expect(namesOf(await list("search=%25"))).toEqual([]);
      expect(namesOf(await list("search=%00"))).toEqual([]);
      const config = { tools: { tool_ids: [ids.get("beta"), ids.get("Gamma")] } };
      const { json } = await platform.send(platform.otherTeam, "POST", "/v1/agent/agents", { name: "A", config });
      const agentId = (json as { agent_id: string }).agent_id;
      const attached = await list(`agent_id=${agentId}&include_total=true`);
      expect([namesOf(attached), attached.total]).toEqual([["Gamma", "beta"], 2]);
      expect(attached.tools.map((row) => row.used_by)).toEqual([1, 1]);
      expect(
        (await platform.call(platform.team, "GET", "/v1/agent/tools", { query: `agent_id=${agentId}` })).status,
      ).toBe(404);
      expect((await platform.call(platform.team, "GET", "/v1/agent/tools", { query: "agent_id=%00" })).status).toBe(
        404,
      );
    });

    it.each([
      ["page=1&cursor=x", 400],
      ["cursor=x", 400],
      ["page=100002&page_size=1", 400],
      ["page=0", 422],
      ["page_size=101", 422],
      ["include_total=maybe", 422],
    ])("refuses %s with %i", async (query, status) => {
      expect((await platform.call(platform.otherTeam, "GET", "/v1/agent/tools", { query })).status).toBe(status);
    });
  });
});
