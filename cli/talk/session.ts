import { setTimeout as delay } from "node:timers/promises";
import type { SessionDetail, SessionToken } from "#protocol/agents/session";
import { answerOf, type PublicApi } from "../public-api.js";

const SESSIONS = "/v1/agent/sessions";

/** Just after a start, or while all runtimes are full, the service asks to come back. */
const MAX_TRIES = 5;
const MAX_PAUSE_MS = 3000;

/** How long the record of a session may take to say how it ended. */
const RECORD_TRIES = 25;
const RECORD_PAUSE_MS = 200;

/** Begins a session with an agent. Throws CommandError. */
export async function beginSession(api: PublicApi, agentId: string): Promise<SessionToken> {
  for (let tries = 1; ; tries++) {
    const response = await api.send("POST", SESSIONS, { agent_id: agentId });
    const waitSeconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    if (response.status !== 503 || !(waitSeconds >= 0) || tries >= MAX_TRIES)
      return await answerOf<SessionToken>(response);
    await response.body?.cancel();
    await delay(Math.min(waitSeconds * 1000, MAX_PAUSE_MS));
  }
}

/** Ends a session whose room nobody is in; where that fails it ends by itself in a minute. */
export async function endSession(api: PublicApi, sessionId: string): Promise<void> {
  await api.send("POST", `${SESSIONS}/${sessionId}/end`).catch(() => undefined);
}

/** How a session ended; as it is known when its record takes too long. Throws CommandError. */
export async function readEnd(api: PublicApi, sessionId: string): Promise<SessionDetail> {
  for (let tries = 1; ; tries++) {
    const session = await api.ask<SessionDetail>("GET", `${SESSIONS}/${sessionId}`);
    const isOver = session.status !== "pending" && session.status !== "active";
    if (isOver || tries >= RECORD_TRIES) return session;
    await delay(RECORD_PAUSE_MS);
  }
}
