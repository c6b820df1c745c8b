import type { PageEnvelope } from "#protocol/paging";
import { CommandError, type OptionValues, stringOf, type Terminal } from "./command.js";
import { refusal } from "./refusal.js";
import { findCluster, unreachable } from "./running-cluster.js";

/** The options of commands that call the public API. */
export const apiOptions = {
  url: { type: "string", value: "URL", doc: "Base URL; the cluster that runs here when absent." },
  key: { type: "string", value: "KEY", doc: "API key; PARLEY_API_KEY or the development key when absent." },
} as const;

/** The public HTTP API, called with a key. */
export interface PublicApi {
  baseUrl: string;
  /** Sends a request, `body` as a form or as JSON. Throws CommandError where nobody answers. */
  send(method: string, path: string, body?: object): Promise<Response>;
  /** As `send`, and gives the answer's JSON (undefined for none). Throws CommandError where the service refuses. */
  ask<T>(method: string, path: string, body?: object): Promise<T>;
}

/** The API of the cluster that the options name, or that runs here. Throws CommandError without a key. */
export function openPublicApi(terminal: Terminal, values: OptionValues): PublicApi {
  const said = { url: stringOf(values.url), key: stringOf(values.key) };
  const { baseUrl, apiKey } = findCluster(terminal.environment, said);
  if (apiKey === null) throw new CommandError("no API key: give --key, set PARLEY_API_KEY, or start Parley here once");
  const send: PublicApi["send"] = async (method, path, body) => {
    const isJson = body !== undefined && !(body instanceof FormData);
    const headers = { authorization: `Bearer ${apiKey}`, ...(isJson ? { "content-type": "application/json" } : {}) };
    try {
      return await fetch(baseUrl + path, { method, headers, body: isJson ? JSON.stringify(body) : (body ?? null) });
    } catch (cause) {
      throw unreachable(baseUrl, cause);
    }
  };
  return {
    baseUrl,
    send,
    ask: async <T>(method: string, path: string, body?: object) => await answerOf<T>(await send(method, path, body)),
  };
}

/** The JSON of an answer. Throws CommandError where it is a refusal. */
export async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw new CommandError(`the service refused (${response.status}): ${await refusal(response)}`);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** All records of a list, page by page; `plural` is their name in its answers. Throws CommandError. */
export async function listAll<T>(
  api: PublicApi,
  path: string,
  plural: string,
  query: Record<string, string>,
): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = new URLSearchParams({ page_size: "100", ...query, ...(cursor === null ? {} : { cursor }) });
    const answer: PageEnvelope & Record<string, unknown> = await api.ask("GET", `${path}?${page}`);
    found.push(...(answer[plural] as T[]));
    cursor = answer.next_cursor;
    if (!answer.has_more || cursor === null) return found;
  }
}
