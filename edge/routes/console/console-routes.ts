import { ServiceError } from "#protocol/errors";
import type { HttpRequest, HttpResponder, HttpRoute } from "../../http/exchange.js";
import { acceptedEncoding } from "../../pages/accepted-encoding.js";
import type { ConsoleFile, ConsoleFiles } from "../../pages/console-files.js";

const ASSETS = "/console/assets/";

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

const everyAnswer = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

const pageHeaders = { ...everyAnswer, "content-security-policy": contentPolicy, "cache-control": "no-cache" };

/** A name is that of what is in the file: what was loaded once is good for ever. */
const assetHeaders = { ...everyAnswer, "cache-control": "public, max-age=31536000, immutable" };

/** The console's page at each of its addresses, and the files that the page loads. */
export function consoleRoutes({ page, assets }: ConsoleFiles): HttpRoute[] {
  const answerPage: HttpRoute["handle"] = async (request, responder) => answer(request, responder, page, pageHeaders);
  return [
    { method: "GET", path: "/console", handle: answerPage },
    { method: "GET", path: "/console/*", handle: answerPage },
    {
      method: "GET",
      path: `${ASSETS}*`,
      handle: async (request, responder) => {
        const file = assets.get(request.path.slice(ASSETS.length));
        if (file === undefined) throw new ServiceError("not_found");
        answer(request, responder, file, assetHeaders);
      },
    },
  ];
}

function answer(
  request: HttpRequest,
  responder: HttpResponder,
  { mediaType, etag, plain, encoded }: ConsoleFile,
  headers: Record<string, string>,
): void {
  const every = { ...headers, etag, vary: "accept-encoding" };
  if (isKnown(request.header("if-none-match"), etag)) {
    responder.begin(304, every);
    responder.end();
    return;
  }
  const encoding = acceptedEncoding(request.header("accept-encoding"), encoded.keys());
  responder.begin(200, {
    ...every,
    "content-type": mediaType,
    ...(encoding === null ? {} : { "content-encoding": encoding }),
  });
  responder.end(encoding === null ? plain : encoded.get(encoding));
}

/** Whether `If-None-Match` names what would be sent (RFC 9110 section 13.1.2; comparison is weak). */
function isKnown(header: string | undefined, etag: string): boolean {
  return (header ?? "").split(",").some((entry) => entry.trim() === "*" || entry.trim().replace(/^W\//, "") === etag);
}
