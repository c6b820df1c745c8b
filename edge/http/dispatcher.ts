import { ServiceError } from "#protocol/errors";
import { bodyLimits, MAX_IGNORED_BODY_BYTES } from "#protocol/limits";
import { health, metrics, ready } from "#protocol/operations/operator";
import { type RenderedResponse, renderError } from "#common/http/error-body";
import type { Clock } from "#common/clock";
import { FailureLog } from "#common/http/failure-log";
import type { Logger } from "#common/log";
import { boundedLabel } from "#common/metrics/labels";
import type { TraceContext } from "#common/tracing/traceparent";
import { type CorsPolicy, corsHeaders, everyPageHeaders, preflightHeaders } from "./cors.js";
import type { AnswerShape, HttpResponder, HttpRoute, ReceivedRequest, SocketRoute } from "./exchange.js";
import { type Match, Router } from "#common/http/router";

/** What is known of an answer when it is over. */
export interface ExchangeRecord {
  /** Path pattern of the route, or `unmatched`: never the path itself, which strangers choose. */
  route: string;
  /** One of the usual methods, or `_OTHER`. */
  method: string;
  /** Status sent; 499 when the client left before one was. */
  status: number;
  durationMs: number;
  sentBytes: number;
}

/** Told of every exchange; metrics hang on it. */
export interface ExchangeObserver {
  began(): void;
  ended(record: ExchangeRecord, trace: TraceContext): void;
}

export interface DispatcherOptions {
  routes: readonly HttpRoute[];
  sockets: readonly SocketRoute[];
  /** Shapes of answers other than the default protocol's. */
  shapes?: readonly AnswerShape[];
  cors: CorsPolicy;
  log: Logger;
  observer: ExchangeObserver;
  clock: Clock;
}

/** Paths that answer while the server drains: they are how a balancer learns of it. */
const operatorPaths = new Set([health, ready, metrics].map(({ path }) => path));

/** What metrics and logs call a request that leads to no route. */
const UNMATCHED = "unmatched";

/** Status logged for a client that left first (nginx's convention). */
const CLIENT_LEFT = 499;

/** What answers at a path; null where a WebSocket does. */
interface Endpoint {
  method: string;
  path: string;
  http: HttpRoute | null;
}

/** Leads every request to its route, and every failure to its answer. Knows nothing of the engine. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #failures: FailureLog;
  readonly #router: Router<Endpoint>;
  #draining = false;
  /** Until when requests are served while it drains, on the clock. */
  #servesUntilMs = 0;
  #active = 0;
  #onIdle: (() => void) | null = null;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#failures = new FailureLog(options.log, options.clock);
    const ofHttp = options.routes.map((http): Endpoint => ({ method: http.method, path: http.path, http }));
    const ofSockets = options.sockets.map(({ path }): Endpoint => ({ method: "GET", path, http: null }));
    this.#router = new Router([...ofHttp, ...ofSockets]);
  }

  /**
   * From now on every answer asks its client to close the connection: the next one leads to another server. A client
   * that has not heard of that yet goes on to use a connection that it kept, so that requests are served for another
   * `servesOnMs`, milliseconds; then all but the operator's paths are refused with `draining`. Resolves when what was
   * running is answered.
   */
  drain(servesOnMs: number): Promise<void> {
    this.#draining = true;
    this.#servesUntilMs = this.#options.clock.nowMs() + servesOnMs;
    if (this.#active === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onIdle = resolve));
  }

  /** Answers a request; never throws. */
  answer(request: ReceivedRequest, responder: HttpResponder): void {
    const match = this.#router.match(request.method, request.path);
    const endpoint = match.type === "route" ? match.route : null;
    const route = endpoint?.path ?? UNMATCHED;
    const watched = this.#watch(request, responder, route, endpoint?.http?.isForEveryPage);
    this.#serve(match, request, watched).catch((error: unknown) => this.#fail(error, request, watched, route));
  }

  /** Answers a request that belongs to no route. */
  refuse(request: ReceivedRequest, responder: HttpResponder, error: ServiceError): void {
    this.#fail(error, request, this.#watch(request, responder, UNMATCHED), UNMATCHED);
  }

  /** Answers a refused WebSocket upgrade over HTTP. */
  refuseUpgrade(request: ReceivedRequest, responder: HttpResponder, path: string, error: unknown): void {
    this.#fail(error, request, this.#watch(request, responder, path), path);
  }

  /** Throws `draining` once the server is stopping. */
  assertOpen(): void {
    if (this.#draining) throw new ServiceError("draining");
  }

  async #serve(match: Match<Endpoint>, request: ReceivedRequest, responder: HttpResponder): Promise<void> {
    const isOperators = match.type === "route" && operatorPaths.has(match.route.path);
    if (this.#draining && !isOperators && this.#options.clock.nowMs() >= this.#servesUntilMs)
      throw new ServiceError("draining");
    if (match.type === "nothing") throw new ServiceError("not_found");
    if (match.type === "route") {
      const route = match.route.http;
      if (route === null) throw new ServiceError("upgrade_required");
      const { maxBodyBytes = bodyLimits.none } = route;
      const isBodyWanted = maxBodyBytes !== bodyLimits.none;
      if (!isBodyWanted && announcedBytes(request) > MAX_IGNORED_BODY_BYTES)
        return this.#refuseBody(request, responder);
      const body = async (): Promise<Uint8Array> =>
        isBodyWanted ? await request.body(maxBodyBytes) : new Uint8Array(0);
      const stream = (): AsyncIterable<Uint8Array> => (isBodyWanted ? request.stream(maxBodyBytes) : nothing());
      return await route.handle({ ...request, parameters: match.parameters, body, stream }, responder);
    }
    const allow = match.allow.join(", ");
    if (request.method !== "OPTIONS") throw new ServiceError("method_not_allowed", { parameters: { allow } });
    const everyPage = match.routes.some(({ http }) => http?.isForEveryPage === true);
    responder.begin(204, {
      allow,
      ...preflightHeaders(match.allow, request.header("access-control-request-headers")),
      ...(everyPage ? { "access-control-allow-origin": "*" } : {}),
    });
    responder.end();
  }

  /** Refuses a large body that nobody wants, and ends the connection: what follows on it would be the body. */
  #refuseBody(request: ReceivedRequest, responder: HttpResponder): void {
    const error = new ServiceError("payload_too_large", { parameters: { limitBytes: MAX_IGNORED_BODY_BYTES } });
    const { status, headers, body } = this.#render(error, request);
    responder.begin(status, { ...headers, connection: "close" });
    responder.end(body);
  }

  #fail(error: unknown, request: ReceivedRequest, responder: HttpResponder, route: string): void {
    const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
    if (responder.closed.aborted) return;
    this.#failures.note(known, { route, trace_id: request.trace.traceId });
    if (responder.begun) {
      responder.abort();
      return;
    }
    const { status, headers, body } = this.#render(known, request);
    responder.begin(status, headers);
    responder.end(body);
  }

  #render(error: ServiceError, request: ReceivedRequest): RenderedResponse {
    return this.#shapeOf(request)?.renderError(error) ?? renderError(error);
  }

  #shapeOf(request: ReceivedRequest): AnswerShape | undefined {
    const path = request.path.replace(/^\/+/, "/");
    return this.#options.shapes?.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  }

  /** Adds the headers that answers have in common to the head, and tells the observer how it ended. */
  #watch(request: ReceivedRequest, inner: HttpResponder, route: string, isForEveryPage = false): HttpResponder {
    const { observer, clock, log } = this.#options;
    const cors = corsHeaders(this.#options.cors, request.header("origin"));
    const startedMs = clock.nowMs();
    let status = CLIENT_LEFT;
    let sentBytes = 0;
    let over = false;
    const finish = (): void => {
      if (over) return;
      over = true;
      this.#active--;
      if (this.#active === 0) this.#onIdle?.();
      const method = boundedLabel("method", request.method);
      const record = { route, method, status, durationMs: clock.nowMs() - startedMs, sentBytes };
      observer.ended(record, request.trace);
      log.debug({ trace_id: request.trace.traceId, ...record }, "answered");
    };
    this.#active++;
    observer.began();
    inner.closed.addEventListener("abort", finish, { once: true });
    return {
      begin: (code, headers) => {
        status = code;
        const shared = this.#shapeOf(request)?.headers(request);
        // It is the client that closes, once it has the whole answer.
        const leaving: Record<string, string> =
          this.#draining && headers["connection"] === undefined ? { Connection: "close" } : {};
        inner.begin(code, { ...cors, ...shared, ...headers, ...(isForEveryPage ? everyPageHeaders : {}), ...leaving });
      },
      write: (bytes) => {
        sentBytes += bytes.byteLength;
        return inner.write(bytes);
      },
      writable: () => inner.writable(),
      end: (bytes) => {
        sentBytes += bytes?.byteLength ?? 0;
        inner.end(bytes);
        finish();
      },
      abort: () => {
        inner.abort();
        finish();
      },
      get begun() {
        return inner.begun;
      },
      closed: inner.closed,
    };
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // What was sent is ignored.
}

function announcedBytes(request: ReceivedRequest): number {
  return Number(request.header("content-length") ?? 0);
}
