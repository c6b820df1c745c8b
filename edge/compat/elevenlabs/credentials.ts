import type { HttpRequest } from "../../http/exchange.js";

/**
 * A request whose key came as `xi-api-key`, ElevenLabs' header, as one with a bearer key; a bearer header is taken as
 * it is.
 */
export function withBearer(request: HttpRequest, otherKey?: string): HttpRequest {
  const key = request.header("xi-api-key") ?? otherKey;
  if (key === undefined || request.header("authorization") !== undefined) return request;
  return { ...request, header: (name) => (name === "authorization" ? `Bearer ${key}` : request.header(name)) };
}
