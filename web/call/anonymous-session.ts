import { apiAddress } from "./api-address.js";
import { CallFailure, refusalOf } from "./call-failure.js";
import type { CallOptions, StartedSession } from "./call-options.js";

const ANSWER_WITHIN_MS = 20_000;

/** Begins a session with a public agent, without a key: the page's origin is what lets it. */
export async function startAnonymousSession(options: CallOptions, signal: AbortSignal): Promise<StartedSession> {
  const { agentId, serverUrl, dynamicVariables, endUserId, metadata } = options;
  const limit = new AbortController();
  const abort = (): void => limit.abort();
  signal.addEventListener("abort", abort);
  const timer = setTimeout(abort, ANSWER_WITHIN_MS);
  let answer: Response;
  let body: unknown;
  try {
    answer = await fetch(apiAddress(serverUrl, "v1/agent/sessions"), {
      method: "POST",
      credentials: "omit",
      signal: limit.signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        agent_id: agentId,
        client_timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        dynamic_variables: dynamicVariables,
        end_user_id: endUserId,
        metadata,
      }),
    });
    body = parseJson(await answer.text());
  } catch (cause) {
    throw new CallFailure("unreachable", "The server cannot be reached", { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
  if (!answer.ok) throw refusalOf(answer.status, body);
  return readSession(body);
}

/** Reads the answer of `POST /v1/agent/sessions`. Throws a `CallFailure` where it is none. */
export function readSession(body: unknown): StartedSession {
  const { session_id: sessionId, livekit_url: url, token } = (body ?? {}) as Record<string, unknown>;
  if (typeof sessionId === "string" && typeof url === "string" && typeof token === "string")
    return { sessionId, url, token };
  throw new CallFailure("unreachable", "The server's answer is no session");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A page of a proxy, for one.
    return null;
  }
}
