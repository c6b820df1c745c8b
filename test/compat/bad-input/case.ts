/** Planted in inputs: no refusal may ever show it. */
export const CANARY = "canary-7c20ab";

export type Protocol = "openai" | "elevenlabs";

/** A request to a compatibility layer and the statuses that the documentation allows. */
export interface HttpCase {
  name: string;
  protocol: Protocol;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array | string | FormData | null;
  statuses: number[];
}

/** A socket, what is sent on it, and how it may end. */
export interface SocketCase {
  name: string;
  path: string;
  frames: (string | Uint8Array)[];
  /** HTTP status of a refused upgrade, or close codes; null when the session goes on and is closed by the client. */
  refused?: number;
  closes?: number[];
  /** Text that some frame of the server must hold. */
  reports?: string;
}

export const openAiMounts = ["/compat/v1", "/compat/api/v1", "/compat/openai/v1"];
export const elevenLabs = "/compat/elevenlabs";

/** JSON to a path of the OpenAI layer. */
export function openAiJson(
  name: string,
  path: string,
  body: unknown,
  statuses: number[],
  mount = openAiMounts[0] ?? "",
): HttpCase {
  return {
    name,
    protocol: "openai",
    method: "POST",
    path: `${mount}${path}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    statuses,
  };
}

/** JSON to a path of the ElevenLabs layer. */
export function elevenLabsJson(name: string, path: string, body: unknown, statuses: number[]): HttpCase {
  return {
    name,
    protocol: "elevenlabs",
    method: "POST",
    path: `${elevenLabs}${path}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    statuses,
  };
}
