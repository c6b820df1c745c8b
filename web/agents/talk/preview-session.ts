import type { SessionToken } from "#protocol/agents/session";
import { ApiFailure, ask } from "../../api/request.js";
import type { StartedSession } from "../../call/call-options.js";
import { refusalOf } from "../../call/call-failure.js";

/** Begins a session on the agent's draft, of which no webhook hears. Rejects with a `CallFailure`. */
export async function startPreview(agentId: string, signal: AbortSignal): Promise<StartedSession> {
  const body = { agent_id: agentId, tool_events: true };
  try {
    const { session_id, livekit_url, token } = await ask<SessionToken>(
      "POST",
      "/v1/agent/sessions?preview=true",
      body,
      signal,
    );
    return { sessionId: session_id, url: livekit_url, token };
  } catch (error) {
    throw error instanceof ApiFailure ? refusalOf(error.status, { message: error.message }) : error;
  }
}
