import { expect } from "vitest";
import type { TestCluster } from "../harness/cluster.js";

/** Asks `/v1/agent` as the cluster's key. */
export interface AgentsApi {
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
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
  return { ask, remove: async (agentId) => void (await ask("DELETE", `/agents/${agentId}`)) };
}
