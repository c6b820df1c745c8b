import OpenAI, { APIError } from "openai";
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { PersistentConnection } from "#common/outbound/persistent-connection";
import { EndpointFailure, failureOfConnection, failureOfStatus } from "./endpoint-failure.js";
import { guardedFetch } from "./guarded-fetch.js";

/** An endpoint that speaks OpenAI's protocol. */
export interface ModelEndpoint {
  /** What stands before `/chat/completions`. */
  baseUrl: string;
  model: string;
  /** Null sends no key. */
  apiKey: string | null;
}

/** Streams chunks of completions, as they come and unchecked. */
export interface CompletionClient {
  /** Throws `EndpointFailure`, while reading too. */
  stream(body: object, signal: AbortSignal): AsyncIterable<unknown>;
}

/** A client of one endpoint over a connection to it. `timeoutMs` bounds each request as a whole. */
export function createCompletionClient(
  endpoint: ModelEndpoint,
  connection: Pick<PersistentConnection, "stream">,
  timeoutMs: number,
): CompletionClient {
  const client = new OpenAI({
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.apiKey ?? "none",
    defaultHeaders: endpoint.apiKey === null ? { Authorization: null } : {},
    fetch: guardedFetch(connection, timeoutMs) as typeof fetch,
    // Tried again where nothing was said yet, which the library does not know.
    maxRetries: 0,
    // It logs what it cannot read, and what it sends.
    logLevel: "off",
    // What it would take from the environment is not meant for this endpoint.
    ...{ adminAPIKey: null, organization: null, project: null, webhookSecret: null },
  });
  return {
    async *stream(body, signal) {
      try {
        const chunks = await client.chat.completions.create(body as ChatCompletionCreateParamsStreaming, { signal });
        yield* chunks;
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

function failureOf(error: unknown): EndpointFailure {
  const connection = failureOfConnection(error);
  if (connection !== null) return connection;
  if (error instanceof APIError && typeof error.status === "number") return failureOfStatus(error.status);
  // In the middle of a stream, with status 200.
  if (error instanceof APIError && error.error !== undefined)
    return new EndpointFailure("the endpoint sent an error instead of an answer", true);
  return new EndpointFailure("the endpoint sent what cannot be read", true);
}
