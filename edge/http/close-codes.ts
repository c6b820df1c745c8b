import type { ServiceError } from "#protocol/errors";

/**
 * Close codes of WebSockets: RFC 6455 section 7.4.1, and 1013 of its registry
 * (https://www.iana.org/assignments/websocket).
 */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  policy: 1008,
  tooBig: 1009,
  internal: 1011,
  tryAgainLater: 1013,
} as const;

/** How a connection ends that an error ends: a client that gets 1013 may come again, after a while, with the same. */
export function closeCodeOf(error: ServiceError): number {
  if (error.code === "draining") return closeCodes.goingAway;
  if (error.status === 413) return closeCodes.tooBig;
  if (error.status < 500) return closeCodes.policy;
  return error.retryable ? closeCodes.tryAgainLater : closeCodes.internal;
}
