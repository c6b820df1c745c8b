import type { HttpRoute } from "../../http/exchange.js";
import type { Bundle } from "../../pages/bundled-files.js";
import { answerBundled, bundledAssets } from "../pages/bundled-answer.js";

/**
 * What the page may load and ask: its own files, this service and the server of the rooms, sockets included; nothing
 * may frame it.
 */
const contentPolicy = (roomServer: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "media-src 'self' blob:",
    `connect-src 'self'${roomServer === null ? "" : ` ${socketOrigin(roomServer)}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** The origin of a LiveKit server's address, as browsers ask it: `ws:` or `wss:`. */
const socketOrigin = (url: string): string => new URL(url.replace(/^http/, "ws")).origin;

/**
 * The console's page at each of its addresses, and the files that the page loads. `roomServer`: where callers join
 * rooms; null where there are none.
 */
export function consoleRoutes({ main, assets }: Bundle, roomServer: string | null): HttpRoute[] {
  const pageHeaders = { "content-security-policy": contentPolicy(roomServer), "cache-control": "no-cache" };
  const answerPage: HttpRoute["handle"] = async (request, responder) =>
    answerBundled(request, responder, main, pageHeaders);
  return [
    { method: "GET", path: "/console", handle: answerPage },
    { method: "GET", path: "/console/*", handle: answerPage },
    bundledAssets("/console/assets/", assets),
  ];
}
