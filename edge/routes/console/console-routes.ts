import type { HttpRoute } from "../../http/exchange.js";
import type { Bundle } from "../../pages/bundled-files.js";
import { answerBundled, bundledAssets } from "../pages/bundled-answer.js";

/** What the page may load and ask: its own files and this service, sockets included; nothing may frame it. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const pageHeaders = { "content-security-policy": contentPolicy, "cache-control": "no-cache" };

/** The console's page at each of its addresses, and the files that the page loads. */
export function consoleRoutes({ main, assets }: Bundle): HttpRoute[] {
  const answerPage: HttpRoute["handle"] = async (request, responder) =>
    answerBundled(request, responder, main, pageHeaders);
  return [
    { method: "GET", path: "/console", handle: answerPage },
    { method: "GET", path: "/console/*", handle: answerPage },
    bundledAssets("/console/assets/", assets),
  ];
}
