import { CONSOLE_SESSION_MS, consoleCredential } from "#protocol/bus/console-sessions";
import type { HttpRequest } from "../http/exchange.js";

const COOKIE = "parley_session";

/** Everything that may stand in a token of ours, which is base64url. */
const tokenPattern = /^[\w-]{43}$/;

/**
 * The token of the session that a request's page is signed in with, or null where the cookie does not count. A browser
 * sends it with what pages of other origins ask too, if they are of the same site (another port is): for those it does
 * not. A browser names the origin in every request but plain GET and HEAD, whose answers such pages cannot read.
 */
export function sessionToken(
  request: Pick<HttpRequest, "header"> & Partial<Pick<HttpRequest, "method">>,
): string | null {
  const origin = request.header("origin");
  const isOwn = origin === undefined ? isRead(request.method) : isOrigin(origin, request.header("host"));
  if (!isOwn) return null;
  for (const pair of (request.header("cookie") ?? "").split(";")) {
    const [name = "", value = ""] = pair.split("=").map((part) => part.trim());
    if (name === COOKIE && tokenPattern.test(value)) return value;
  }
  return null;
}

/** What `KeyVerifier` knows that session by. */
export function sessionCredential(
  request: Pick<HttpRequest, "header"> & Partial<Pick<HttpRequest, "method">>,
): string | null {
  const token = sessionToken(request);
  return token === null ? null : consoleCredential("session", token);
}

/** The header that gives a page its session, or takes it away. */
export function sessionCookie(token: string | null, isSecure: boolean): string {
  const seconds = token === null ? 0 : CONSOLE_SESSION_MS / 1000;
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return `${COOKIE}=${token ?? ""}; ${attributes}`;
}

const isRead = (method: string | undefined): boolean => method === "GET" || method === "HEAD";

/** Whether an origin is the host that a request was sent to; a proxy in between may speak another scheme. */
function isOrigin(origin: string, host: string | undefined): boolean {
  const after = origin.indexOf("://");
  return after > 0 && origin.slice(after + 3).toLowerCase() === host?.toLowerCase();
}
