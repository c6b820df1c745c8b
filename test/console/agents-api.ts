import { expect } from "vitest";
import type { TestCluster } from "../harness/cluster.js";

/** Asks `/v1/agent` as the cluster's key. */
export interface AgentsApi {
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Makes an agent that sells lamps; gives its id. */
  makeAgent(name: string): Promise<string>;
  /** Deletes an agent. */
  remove(agentId: string): Promise<void>;
}

/** What tests of the console prepare and look up without a browser. */
export function agentsOf(started: () => TestCluster): AgentsApi {
  const ask: AgentsApi["ask"] = async (method, path, body) => {
    const { baseUrl, apiKey } = started();
    const answer = await fetch(`${baseUrl}/v1/agent${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect([method, path, answer.ok ? "" : text]).toEqual([method, path, ""]);
    return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  };
  const config = { prompt: { system_prompt: "You sell lamps.\nBe short.\nNever haggle." } };
  const makeAgent: AgentsApi["makeAgent"] = async (name) =>
    String((await ask("POST", "/agents", { name, config }))["agent_id"]);
  return { ask, makeAgent, remove: async (agentId) => void (await ask("DELETE", `/agents/${agentId}`)) };
}
