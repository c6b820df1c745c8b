import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolEntity } from "#protocol/tools";
import { engines } from "../control-plane/databases.js";
import { type Platform, startPlatform } from "./platform.js";

const ROUNDS = 12;

describe.each(engines)("a tool that is attached and deleted at once on %s", (engine) => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform(engine);
  });
  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: object) => platform.send(platform.team, method, path, body);
  const makeTools = async (count: number): Promise<string[]> => {
    const made = await Promise.all(
      Array.from({ length: count }, () => send("POST", "/v1/agent/tools", { name: "T", url: "https://203.0.114.7/" })),
    );
    return made.map(({ json }) => (json as ToolEntity).tool_id);
  };
  const makeAgents = async (count: number): Promise<string[]> => {
    const made = await Promise.all(
      Array.from({ length: count }, () => send("POST", "/v1/agent/agents", { name: "A" })),
    );
    return made.map(({ json }) => (json as { agent_id: string }).agent_id);
  };
  const draftTools = async (agentId: string): Promise<string[]> => {
    const { json } = await send("GET", `/v1/agent/agents/${agentId}/config`);
    return (json as { tools: { tool_ids: string[] } }).tools.tool_ids;
  };

  it("ends with a draft that has it or a tool that is gone, never with both", async () => {
    const agents = await makeAgents(3);
    for (let round = 0; round < ROUNDS; round++) {
      const toolIds = await makeTools(3);
      const attach = (agentId: string, ids: string[]) =>
        send("PATCH", `/v1/agent/agents/${agentId}/config`, { tools: { tool_ids: ids } });
      const remove = (id: string) => send("DELETE", `/v1/agent/tools/${id}`);
      const calls = [
        ...agents.map((agentId, index) => () => attach(agentId, index % 2 === 0 ? toolIds : toolIds.toReversed())),
        ...toolIds.map((id) => () => remove(id)),
      ];
      // Another order every round, so that each side comes first now and then.
      const rotated = [...calls.slice(round % calls.length), ...calls.slice(0, round % calls.length)];
      const answers = await Promise.all(rotated.map((call) => call()));
      expect(answers.every(({ status }) => [200, 204, 409, 422].includes(status))).toBe(true);
      const gone = new Set<string>();
      for (const id of toolIds) if ((await send("GET", `/v1/agent/tools/${id}`)).status === 404) gone.add(id);
      for (const agentId of agents) {
        expect((await draftTools(agentId)).filter((id) => gone.has(id))).toEqual([]);
        expect((await attach(agentId, [])).status).toBe(200);
      }
      const left = await Promise.all(toolIds.filter((id) => !gone.has(id)).map(remove));
      expect(left.map(({ status }) => status)).toEqual(left.map(() => 204));
    }
  });

  it("counts a detached tool as free at once, and deletes it once only", async () => {
    const [agentId = ""] = await makeAgents(1);
    const [toolId = ""] = await makeTools(1);
    await send("PATCH", `/v1/agent/agents/${agentId}/config`, { tools: { tool_ids: [toolId] } });
    const detach = send("PATCH", `/v1/agent/agents/${agentId}/config`, { tools: { tool_ids: [] } });
    const early = await Promise.all([
      detach,
      ...Array.from({ length: 4 }, () => send("DELETE", `/v1/agent/tools/${toolId}`)),
    ]);
    const late = await send("DELETE", `/v1/agent/tools/${toolId}`);
    const statuses = [...early.slice(1), late].map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.every((status) => [204, 404, 409].includes(status))).toBe(true);
  });
});
