import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  agentsReferencingKnowledge,
  countDraftsByTool,
  draftsReferencingTool,
  liveAgent,
  publishedWebhookEndpoints,
  toolsOfDraft,
} from "#control-plane/agents/references";
import { engines } from "../control-plane/databases.js";
import { type ServiceFixture, testDoors } from "../control-plane/service.js";
import { createAgent, startTeams, type TeamClient } from "./client.js";

const PUBLIC_URL = "https://93.184.216.34/hook";
const missing = "f".repeat(32);
const boundary = "parley-test";

describe.each(engines)("references to tools, knowledge and webhooks on %s", (engine) => {
  let fixture: ServiceFixture;
  let team: TeamClient;
  let other: TeamClient;

  beforeAll(async () => {
    ({ fixture, team, other } = await startTeams(engine));
  });
  afterAll(() => fixture.stop());

  it("finds the drafts of a tool, within the team", async () => {
    const { teamId } = team.principal;
    const tool = async (client: TeamClient): Promise<string> =>
      String((await client.ask("POST", "/v1/agent/tools", { name: "t", url: PUBLIC_URL })).json["tool_id"]);
    const [first, second, foreign] = [await tool(team), await tool(team), await tool(other)];
    const one = await createAgent(team, { name: "one", config: { tools: { tool_ids: [second, first] } } });
    const two = await createAgent(team, { name: "two", config: { tools: { tool_ids: [first] } } });
    await createAgent(other, { name: "three", config: { tools: { tool_ids: [foreign] } } });
    expect(await draftsReferencingTool(fixture.db, teamId, first)).toEqual([
      { agent_id: two, name: "two" },
      { agent_id: one, name: "one" },
    ]);
    expect(await draftsReferencingTool(fixture.db, teamId, foreign)).toEqual([]);
    expect(await countDraftsByTool(fixture.db, teamId, [first, second, foreign, missing])).toEqual(
      new Map([
        [second, 1],
        [first, 2],
      ]),
    );
    expect(await toolsOfDraft(fixture.db, teamId, one)).toEqual([second, first]);
    for (const id of [missing, "no id", "\u0000"]) expect(await toolsOfDraft(fixture.db, teamId, id)).toBeNull();
  });

  it("finds knowledge in drafts and in live versions, not in earlier ones", async () => {
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="source"; filename="a.md"\r\nContent-Type: text/plain\r\n\r\n# A\r\n--${boundary}--\r\n`;
    const made = await fixture.callJson(team.principal, "POST", "/v1/agent/knowledge-sources", {
      contentType: `multipart/form-data; boundary=${boundary}`,
      body,
    });
    const source = (made.json as { knowledge_source_id: string }).knowledge_source_id;
    const agent = await createAgent(team, {
      name: "k",
      config: { knowledge_base: { enabled: true, knowledge_source_ids: [source] } },
    });
    const referring = () => agentsReferencingKnowledge(fixture.db, team.principal.teamId, source);
    const publish = () => team.ask("POST", `/v1/agent/agents/${agent}/publish`);
    expect(await referring()).toEqual([{ agent_id: agent, name: "k" }]);
    await publish();
    await team.ask("PATCH", `/v1/agent/agents/${agent}/config`, { knowledge_base: { knowledge_source_ids: [] } });
    expect(await referring()).toEqual([{ agent_id: agent, name: "k" }]);
    await publish();
    expect(await referring()).toEqual([]);
    expect((await team.ask("DELETE", `/v1/agent/knowledge-sources/${source}`)).status).toBe(204);
  });

  it("gives the published webhooks with their secrets, and nothing of the draft", async () => {
    const { sealer } = testDoors();
    const agent = await createAgent(team, {
      name: "w",
      config: { webhooks: { post_call: [{ url: PUBLIC_URL, secret: "käse" }, { url: `${PUBLIC_URL}/2` }] } },
    });
    expect([await publishedWebhookEndpoints(fixture.db, agent, sealer), await liveAgent(fixture.db, agent)]).toEqual([
      [],
      null,
    ]);
    await team.ask("POST", `/v1/agent/agents/${agent}/publish`);
    await team.ask("PATCH", `/v1/agent/agents/${agent}/config`, { webhooks: { post_call: null } });
    expect(await publishedWebhookEndpoints(fixture.db, agent, sealer)).toEqual([
      { url: PUBLIC_URL, secret: "käse" },
      { url: `${PUBLIC_URL}/2`, secret: null },
    ]);
    const live = await liveAgent(fixture.db, agent);
    expect(live).toMatchObject({
      agentId: agent,
      teamId: team.principal.teamId,
      name: "w",
      versionNumber: 1,
      attachments: { tools: [], knowledge: [] },
    });
    expect(JSON.stringify(live)).not.toContain("käse");
  });

  it("signs with the stored secret after the list was read, changed and written back, also from a published version", async () => {
    const { sealer } = testDoors();
    const agent = await createAgent(team, {
      name: "w",
      config: { webhooks: { post_call: { url: PUBLIC_URL, secret: "one", has_secret: false } } },
    });
    const path = `/v1/agent/agents/${agent}`;
    const publish = async (): Promise<unknown> => {
      await team.ask("POST", `${path}/publish`);
      return await publishedWebhookEndpoints(fixture.db, agent, sealer);
    };
    const write = async (postCall: unknown): Promise<void> => {
      expect((await team.ask("PATCH", `${path}/config`, { webhooks: { post_call: postCall } })).status).toBe(200);
    };
    const shown = async (from: string): Promise<unknown[]> => {
      const { json } = await team.ask("GET", `${path}/${from}`);
      return ((json["config"] ?? json) as { webhooks: { post_call: unknown[] } }).webhooks.post_call;
    };
    expect(await publish()).toEqual([{ url: PUBLIC_URL, secret: "one" }]);
    const added = { url: `${PUBLIC_URL}/2`, secret: "two" };
    await write([...(await shown("config")), added]);
    expect(await publish()).toEqual([{ url: PUBLIC_URL, secret: "one" }, added]);
    await write(await shown("versions/1"));
    expect(await publish()).toEqual([{ url: PUBLIC_URL, secret: "one" }]);
    expect((await team.ask("POST", `${path}/publish`)).json["version_number"]).toBe(3);
    await write({ url: `${PUBLIC_URL}/moved` });
    expect(await publish()).toEqual([{ url: `${PUBLIC_URL}/moved`, secret: null }]);
  });
});
