import type { HttpResponder } from "./exchange.js";

/** Answers with a JSON body. */
export function answerJson(
  responder: HttpResponder,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  responder.begin(status, { "content-type": "application/json", ...headers });
  responder.end(Buffer.from(JSON.stringify(value)));
}

/** Answers with a JSON body that is always the same, made once: what a client has not taken of it costs no memory. */
export function answerConstantJson(value: unknown): (responder: HttpResponder) => void {
  const body = Buffer.from(JSON.stringify(value));
  return (responder) => {
    responder.begin(200, { "content-type": "application/json" });
    responder.end(body);
  };
}

const noScripts = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Answers with a page of our own: where no policy says else, no script runs in it and nothing is fetched. */
export function answerPage(responder: HttpResponder, html: Uint8Array, policy = noScripts): void {
  responder.begin(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
  });
  responder.end(html);
}
