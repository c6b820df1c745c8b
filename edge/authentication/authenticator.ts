import { hasScope, type KeyScope, type Principal } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { formatTraceparent, type TraceContext } from "#common/tracing/traceparent";
import type { HttpRequest } from "../http/exchange.js";
import { bearerCredential } from "./bearer.js";
import { sessionCredential } from "./console-cookie.js";
import type { KeyVerifier } from "./key-verifier.js";

/**
 * Finds out who sends a request, over HTTP or as a WebSocket upgrade: by its key, or where it shows none by the session
 * that its page is signed in with. Throws `unauthenticated` without either, `invalid_token`, `token_expired`, and
 * `dependency_unavailable` when nobody can say.
 */
export type Authenticate = (
  request: Pick<HttpRequest, "header" | "remoteAddress"> & Partial<Pick<HttpRequest, "trace" | "method">>,
) => Promise<Principal>;

/** `onTeam` learns whose a traced request is; spans name the team, which may see them. */
export function createAuthenticate(
  verifier: Pick<KeyVerifier, "verify">,
  onTeam: (trace: TraceContext, teamId: string) => void = () => undefined,
): Authenticate {
  return async (request) => {
    const key = showsKey(request) ? bearerCredential(request.header("authorization")) : sessionCredential(request);
    if (key === null) throw new ServiceError("unauthenticated");
    const traceparent = request.trace === undefined ? null : formatTraceparent(request.trace);
    const principal = await verifier.verify(key, { address: request.remoteAddress, traceparent });
    if (request.trace !== undefined) onTeam(request.trace, principal.teamId);
    return principal;
  };
}

/** Whether a request says that it has a key, good or not. */
const showsKey = (request: Pick<HttpRequest, "header">): boolean => (request.header("authorization") ?? "") !== "";

/** Whether a request says who sends it, by a key or by a session. */
export const showsCredential = (request: Pick<HttpRequest, "header" | "method">): boolean =>
  showsKey(request) || sessionCredential(request) !== null;

/**
 * Calls `onRefused`, once, when the key behind a principal is revoked or expires before `until` aborts: whatever lives
 * longer than a request asks to be told.
 */
export type WatchKey = (principal: Principal, until: AbortSignal, onRefused: (error: ServiceError) => void) => void;

/** Throws `missing_scope` when the caller's key does not cover a part of the API. */
export function requireScope(principal: Principal, scope: KeyScope | "any"): void {
  if (scope !== "any" && !hasScope(principal, scope))
    throw new ServiceError("missing_scope", { parameters: { scope } });
}
