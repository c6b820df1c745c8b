import { ServiceError } from "#protocol/errors";
import { logFailure } from "#common/http/log-failure";
import type { Logger } from "#common/log";
import type { HttpRequest, HttpResponder, HttpRoute, RefusalShape } from "../http/exchange.js";
import type { RenderError } from "./error-answer.js";

/** What every compatibility route has in common. */
export interface CompatRouteOptions {
  method: HttpRoute["method"];
  path: string;
  maxBodyBytes?: number;
  log: Logger;
  renderError: RenderError;
  handle(request: HttpRequest, responder: HttpResponder): Promise<void>;
}

/**
 * A route that answers in another vendor's shape: errors as that vendor's libraries parse them, and on every answer the
 * identifiers that they read: `X-Generation-Id` and `x-request-id`, both the request's trace id, by which logs and
 * traces find it.
 */
export function compatRoute(options: CompatRouteOptions): HttpRoute {
  const { method, path, maxBodyBytes, log, renderError, handle } = options;
  return {
    method,
    path,
    maxBodyBytes,
    async handle(request, inner) {
      const responder = identified(inner, request.trace.traceId);
      try {
        await handle(request, responder);
      } catch (error) {
        const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
        // A client that leaves ends what is done for it with some error or other.
        if (responder.closed.aborted) return;
        logFailure(log, known, { route: path, trace_id: request.trace.traceId });
        if (responder.begun) return responder.abort();
        const { status, headers, body } = renderError(known);
        responder.begin(status, headers);
        responder.end(body);
      }
    },
  };
}

/** The same for what the server refuses by itself: an unknown path, another method, a WebSocket upgrade. */
export function identifiedRefusal(renderError: RenderError): RefusalShape["render"] {
  return (error, { trace }) => {
    const { headers, ...answer } = renderError(error);
    return { ...answer, headers: { ...identifiers(trace.traceId), ...headers } };
  };
}

function identifiers(id: string): Record<string, string> {
  return { "x-generation-id": id, "x-request-id": id };
}

function identified(inner: HttpResponder, id: string): HttpResponder {
  return {
    begin: (status, headers) => inner.begin(status, { ...identifiers(id), ...headers }),
    write: (bytes) => inner.write(bytes),
    writable: () => inner.writable(),
    end: (bytes) => inner.end(bytes),
    abort: () => inner.abort(),
    get begun() {
      return inner.begun;
    },
    closed: inner.closed,
  };
}
