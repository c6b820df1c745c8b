import { ServiceError } from "#protocol/errors";
import type { HttpRequest, HttpResponder, HttpRoute } from "../../http/exchange.js";
import { acceptedEncoding } from "../../pages/accepted-encoding.js";
import type { BundledFile } from "../../pages/bundled-files.js";

/** What browsers must know of every file of ours. */
const bundledHeaders = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

/** Answers with a bundled file in the encoding that the client takes, or with a 304 where the client has it. */
export function answerBundled(
  request: HttpRequest,
  responder: HttpResponder,
  { mediaType, etag, plain, encoded }: BundledFile,
  headers: Record<string, string>,
): void {
  const every = { ...bundledHeaders, ...headers, etag, vary: "accept-encoding" };
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

/** Answers below a path that ends in a slash with the files of these names. */
export function bundledAssets(
  below: string,
  files: ReadonlyMap<string, BundledFile>,
  headers: Record<string, string> = {},
): HttpRoute {
  // A name is that of what is in the file: what was loaded once is good for ever.
  const cached = { ...headers, "cache-control": "public, max-age=31536000, immutable" };
  return {
    method: "GET",
    path: `${below}*`,
    handle: async (request, responder) => {
      const file = files.get(request.path.slice(below.length));
      if (file === undefined) throw new ServiceError("not_found");
      answerBundled(request, responder, file, cached);
    },
  };
}

/** Whether `If-None-Match` names what would be sent (RFC 9110 section 13.1.2; comparison is weak). */
function isKnown(header: string | undefined, etag: string): boolean {
  return (header ?? "").split(",").some((entry) => entry.trim() === "*" || entry.trim().replace(/^W\//, "") === etag);
}
