import type { ServiceError } from "#protocol/errors";

/** A complete HTTP answer in memory. */
export interface RenderedResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Uint8Array;
}

const nothing = new Uint8Array(0);

/**
 * Gives the native API's answer to an error (docs/protocol.md "Errors"): `{status, message, reason?}`, nothing but the
 * status, or the top-level list of a 422. Pure: the edge and the control plane render byte-identical bodies with it.
 */
export function renderError(error: ServiceError): RenderedResponse {
  const headers: Record<string, string> = {};
  // RFC 9110 section 11.6.1: every 401 names its scheme; RFC 6750 section 3.1 adds the reason when a token was shown.
  if (error.status === 401)
    headers["www-authenticate"] = error.shape === "bare" ? "Bearer" : 'Bearer error="invalid_token"';
  if (error.status === 405 && error.parameters["allow"] !== undefined)
    headers["allow"] = String(error.parameters["allow"]);
  // RFC 9110 section 15.5.17: a 416 says how long the whole is.
  if (error.code === "range_not_satisfiable") headers["content-range"] = `bytes */${error.parameters["bytes"]}`;
  // RFC 9110 section 15.5.22: a 426 names the protocol.
  if (error.status === 426) Object.assign(headers, { upgrade: "websocket", connection: "Upgrade" });
  // RFC 9112 section 6.3: where a message ends that cannot be read, nobody knows.
  if (error.code === "malformed_request") headers["connection"] = "close";
  // RFC 9110 section 15.5.9: the rest of the body is not waited for.
  if (error.code === "upload_too_slow") headers["connection"] = "close";
  if (error.retryAfterMs !== null) headers["retry-after"] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  if (error.shape === "bare") return { status: error.status, headers, body: nothing };
  headers["content-type"] = "application/json";
  return { status: error.status, headers, body: Buffer.from(JSON.stringify(errorPayload(error))) };
}

function errorPayload(error: ServiceError): unknown {
  if (error.shape === "problems") {
    return error.problems.map(({ type, loc, msg, ctx }) => ({ type, loc, msg, ctx: ctx ?? {} }));
  }
  const { status, message, reason } = error;
  return reason === null ? { status, message } : { status, message, reason };
}
