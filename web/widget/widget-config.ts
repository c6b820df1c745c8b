import type { WidgetConfig } from "#protocol/agents/agent";
import { apiAddress } from "../call/api-address.js";

/** The widget is there meanwhile, and can be used. */
const ANSWER_WITHIN_MS = 3000;

/** What the agent says of itself to pages that may talk to it; nothing where it does not answer in time, or at all. */
export async function fetchWidgetConfig(serverUrl: string, agentId: string): Promise<Partial<WidgetConfig>> {
  try {
    const path = `v1/agent/agents/${encodeURIComponent(agentId)}/widget`;
    const answer = await fetch(apiAddress(serverUrl, path), {
      credentials: "omit",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const body: unknown = answer.ok ? await answer.json() : null;
    if (typeof body !== "object" || body === null || !("agent_name" in body)) return {};
    return typeof body.agent_name === "string" ? { agent_name: body.agent_name } : {};
  } catch {
    // A call says what is wrong, to whoever makes one.
    return {};
  }
}
