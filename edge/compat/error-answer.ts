import type { ServiceError } from "#protocol/errors";
import { type RenderedResponse, renderError } from "#common/http/error-body";
import { elevenLabsHttpStatus, type ElevenLabsStatus, elevenLabsStatusOf } from "./elevenlabs/error-status.js";

/** What renders an error in one protocol's shape. */
export type RenderError = (error: ServiceError) => RenderedResponse;

/** Name under which the service itself reports what went wrong behind the compatibility layer. */
const PROVIDER = "fish-audio";

/** The first thing that many a caller reads: the vendors' own voices are unknown here. */
const UNKNOWN_VOICE =
  'There is no voice of this name: use "default", the id of a saved voice or a speaker of GET /v1/tts/speakers; PARLEY_VOICE_ALIASES of the server gives them other names';

/** One line that says what is wrong, problem lists included. Their rows never hold the caller's values. */
export function errorMessage(error: ServiceError): string {
  if (error.shape === "problems")
    return error.problems.map(({ loc, msg }) => `${loc.slice(1).join(".") || "body"}: ${msg}`).join("; ");
  if (error.code === "unauthenticated") return "Missing API key";
  if (error.code === "unknown_reference") return UNKNOWN_VOICE;
  if (error.code === "invalid_token" || error.code === "token_expired") return "No permission";
  return error.message || error.code.replaceAll("_", " ");
}

/** OpenAI's libraries know no 422 of ours: a field that is wrong is a bad request. */
function statusOf(error: ServiceError): number {
  return error.status === 422 ? 400 : error.status;
}

/**
 * OpenAI's shape (docs/protocol.md "OpenAI, OpenRouter and Groq"): `code` is the status as an integer, since
 * OpenRouter's library refuses anything else. A missing key is the caller's mistake; a wrong one is reported with the
 * provider, as everything is that happened behind this layer.
 */
export const renderOpenAiError: RenderError = (error) => {
  const status = statusOf(error);
  const type = openAiType(error, status);
  const metadata = type === "provider_error" ? { provider_name: PROVIDER } : undefined;
  // The libraries repeat every 5xx: what will not get better must say so.
  const retry: Record<string, string> = status >= 500 && !error.retryable ? { "x-should-retry": "false" } : {};
  return withBody(error, status, retry, {
    error: { code: status, message: errorMessage(error), type, param: paramOf(error), metadata },
  });
};

function openAiType(error: ServiceError, status: number): string {
  if (error.code === "unauthenticated") return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status === 401 || status === 402 || status >= 500 ? "provider_error" : "invalid_request_error";
}

/** The parameter that an error is always about, as OpenAI names it. */
const parametersOfErrors: Partial<Record<ServiceError["code"], string>> = {
  unknown_reference: "voice",
  unknown_model: "model",
};

/** The parameter that an error is about, as OpenAI's `param`; null when it is about none. */
export function paramOf(error: ServiceError): string | null {
  const [problem] = error.problems;
  if (problem !== undefined) return problem.loc.slice(1).join(".") || null;
  const name = error.parameters["parameter"] ?? parametersOfErrors[error.code];
  return name === undefined ? null : String(name);
}

/** ElevenLabs' body of an error (docs/protocol.md "ElevenLabs"): `{detail: {status, message}}`. */
export function elevenLabsErrorBody(error: ServiceError): { detail: { status: ElevenLabsStatus; message: string } } {
  return { detail: { status: elevenLabsStatusOf[error.code], message: errorMessage(error) } };
}

export const renderElevenLabsError: RenderError = (error) =>
  withBody(error, elevenLabsHttpStatus(error), {}, elevenLabsErrorBody(error));

function withBody(error: ServiceError, status: number, extra: Record<string, string>, body: unknown): RenderedResponse {
  const { headers } = renderError(error);
  return {
    status,
    headers: { ...headers, ...extra, "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  };
}
