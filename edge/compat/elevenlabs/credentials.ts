import { bearerCredential } from "../../authentication/bearer.js";
import type { HttpRequest } from "../../http/exchange.js";

/**
 * A request whose key came as `xi-api-key`, ElevenLabs' header, as one with a bearer key. A bearer key of its own wins;
 * an `Authorization` without one, empty or a proxy's, does not hide the other.
 */
export function withBearer(request: HttpRequest, otherKey?: string): HttpRequest {
  const key = request.header("xi-api-key") ?? otherKey;
  if (key === undefined || bearerCredential(request.header("authorization")) !== null) return request;
  return { ...request, header: (name) => (name === "authorization" ? `Bearer ${key}` : request.header(name)) };
}
