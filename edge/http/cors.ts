/** Which pages may call the service from a browser (https://fetch.spec.whatwg.org/#http-cors-protocol). */
export interface CorsPolicy {
  /**
   * Exact origins, or `*` for every page. Keys travel in a header, and the console's cookie counts for no other origin,
   * so `*` gives no page anybody's rights.
   */
  allowedOrigins: readonly string[];
}

/**
 * Headers that pages may send where a preflight names none: those of our interface and of the vendor's browser
 * libraries.
 */
const requestHeaders = "authorization, content-type, model, traceparent, x-fish-sdk";

/** Headers of answers that pages may read: those that our interface and the vendors' browser libraries look for. */
const exposedHeaders = ["retry-after", "x-request-id", "x-generation-id"];

/** Longest that browsers keep a preflight's answer (Chrome), seconds. */
const PREFLIGHT_SECONDS = 7200;

/** Headers for the answer to a request from `origin`; errors carry them too, or the page could not read them. */
export function corsHeaders(policy: CorsPolicy, origin: string | undefined): Record<string, string> {
  const everyone = policy.allowedOrigins.includes("*");
  const vary: Record<string, string> = everyone ? {} : { vary: "origin" };
  if (origin === undefined) return vary;
  if (!everyone && !policy.allowedOrigins.includes(origin)) return vary;
  return {
    ...vary,
    "access-control-allow-origin": everyone ? "*" : origin,
    "access-control-expose-headers": exposedHeaders.join(", "),
  };
}

/** Lets scripts of every page read an answer; no cookie is ever involved. */
export const everyPageHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after, content-disposition, content-range",
  vary: "origin",
};

/** Headers for the answer to a preflight about a path that takes `methods`. Adds to `corsHeaders`. */
export function preflightHeaders(methods: readonly string[], requested: string | undefined): Record<string, string> {
  const safe = requested !== undefined && /^[\w, -]{1,1000}$/.test(requested) ? requested : requestHeaders;
  return {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": safe,
    "access-control-max-age": String(PREFLIGHT_SECONDS),
  };
}
