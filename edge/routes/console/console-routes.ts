import type { HttpRoute } from "../../http/exchange.js";
import type { Bundle } from "../../pages/bundled-files.js";
import { answerBundled, bundledAssets } from "../pages/bundled-answer.js";

/** What the page needs of other servers; null where there is none. */
export interface OtherServers {
  /** Where callers join rooms. */
  rooms: string | null;
  /** Where downloads of recordings lead. */
  recordings: string | null;
}

/**
 * What the page may load and ask: its own files, this service and the other servers that it needs, sockets included;
 * nothing may frame it.
 */
function contentPolicy({ rooms, recordings }: OtherServers): string {
  const store = recordings === null ? "" : ` ${new URL(recordings).origin}`;
  const sockets = rooms === null ? "" : ` ${socketOrigin(rooms)}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `media-src 'self' blob:${store}`,
    `connect-src 'self'${sockets}${store}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The origin of a LiveKit server's address, as browsers ask it: `ws:` or `wss:`. */
const socketOrigin = (url: string): string => new URL(url.replace(/^http/, "ws")).origin;

/** The console's page at each of its addresses, and the files that the page loads. */
export function consoleRoutes({ main, assets }: Bundle, others: OtherServers): HttpRoute[] {
  const pageHeaders = { "content-security-policy": contentPolicy(others), "cache-control": "no-cache" };
  const answerPage: HttpRoute["handle"] = async (request, responder) =>
    answerBundled(request, responder, main, pageHeaders);
  return [
    { method: "GET", path: "/console", handle: answerPage },
    { method: "GET", path: "/console/*", handle: answerPage },
    bundledAssets("/console/assets/", assets),
  ];
}
