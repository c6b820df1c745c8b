import {
  type ForwardedRequest,
  type ForwardedResponse,
  MAX_INLINE_BODY_BYTES,
  type Principal,
  uploadsBucket,
} from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { ANSWER_TIMEOUT_MS, type Operation } from "#protocol/operations/operation";
import { forwardedOperations } from "#protocol/operations/operations";
import { toolHopsHeader } from "#protocol/tools";
import type { Bus, ObjectBucket } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import type { Logger } from "#common/log";
import { formatTraceparent } from "#common/tracing/traceparent";
import { type Authenticate, requireScope, showsCredential } from "../authentication/authenticator.js";
import { declaredRoute } from "../http/declared-route.js";
import type { HttpRequest, HttpResponder, HttpRoute } from "../http/exchange.js";
import { askForwarded } from "./ask-forwarded.js";

/** Besides `traceparent`, which names this edge's span. */
const forwardedHeaders = [
  ...["content-type", "accept", "origin", "sec-fetch-site", "host", "x-forwarded-proto"],
  "idempotency-key",
  toolHopsHeader,
] as const;

export interface ForwarderOptions {
  bus: Bus;
  clock: Clock;
  authenticate: Authenticate;
  log: Logger;
}

/** Authenticates a request, hands it to the control plane over the bus, and answers with what comes back. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #bucket: ObjectBucket;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#bucket = options.bus.objects(uploadsBucket);
  }

  /**
   * Looks for a key first, unless `scope` is null: those routes are called by visitors' browsers. Where it is optional,
   * a request without key and session goes on as nobody's, with its client's address; a key that is no good is refused
   * all the same. Throws authentication errors, `payload_too_large`, and `dependency_unavailable` when the control
   * plane or its object store is away or gives no answer within `timeoutMs`.
   */
  async forward(
    request: HttpRequest,
    responder: HttpResponder,
    scope: Operation["scope"],
    timeoutMs: number,
    { isKeyOptional, readsAuthorization }: Pick<Operation, "isKeyOptional" | "readsAuthorization"> = {},
  ): Promise<void> {
    const isVisitor = isKeyOptional === true && !showsCredential(request);
    const principal = scope === null || isVisitor ? null : await this.#options.authenticate(request);
    if (principal !== null && scope !== null) requireScope(principal, scope);
    const message = await this.#pack(request, principal);
    const authorization = request.header("authorization");
    if (readsAuthorization === true && authorization !== undefined) message.headers["authorization"] = authorization;
    if (isVisitor) message.clientAddress = request.remoteAddress;
    const answer = await this.#ask(message, timeoutMs);
    const body = await this.#bodyOf(answer);
    responder.begin(answer.status, answer.headers);
    responder.end(body);
  }

  async #ask(message: ForwardedRequest, timeoutMs: number): Promise<ForwardedResponse> {
    try {
      return await askForwarded(this.#options, message, timeoutMs);
    } catch (error) {
      // Nobody may have taken the body: nobody else would delete it.
      if (message.bodyObject !== null) this.#purge(message.bodyObject);
      throw error;
    }
  }

  #purge(name: string): void {
    this.#bucket
      .delete(name)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, "a body was left in the object store"));
  }

  async #pack(request: HttpRequest, principal: Principal | null): Promise<ForwardedRequest> {
    const body = await request.body();
    const isLarge = body.byteLength > MAX_INLINE_BODY_BYTES;
    const bodyObject = isLarge ? newIdentifier() : null;
    if (bodyObject !== null) await storing(() => this.#bucket.put(bodyObject, body));
    return {
      method: request.method === "HEAD" ? "GET" : request.method,
      path: request.path,
      query: request.query,
      headers: headersOf(request),
      body: isLarge ? new Uint8Array(0) : body,
      bodyObject,
      principal,
    };
  }

  async #bodyOf(answer: ForwardedResponse): Promise<Uint8Array> {
    const name = answer.bodyObject ?? null;
    if (name === null) return answer.body;
    const bytes = await storing(() => this.#bucket.get(name));
    if (bytes === null) throw storageUnavailable(undefined);
    this.#purge(name);
    return bytes;
  }
}

function storageUnavailable(cause: unknown): ServiceError {
  return new ServiceError("dependency_unavailable", { parameters: { dependency: "Object storage" }, cause });
}

/** Failures of the object store are a dependency's, not ours. */
async function storing<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : storageUnavailable(cause);
  }
}

function headersOf(request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = { traceparent: formatTraceparent(request.trace) };
  for (const name of forwardedHeaders) {
    const value = request.header(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** The routes that the control plane answers. */
export function forwardedRoutes(options: ForwarderOptions): HttpRoute[] {
  const forwarder = new Forwarder(options);
  return forwardedOperations.map((operation) => {
    const { scope, isKeyOptional, answerTimeoutMs = ANSWER_TIMEOUT_MS } = operation;
    const route = declaredRoute(operation, (request, responder) =>
      forwarder.forward(request, responder, scope, answerTimeoutMs, operation),
    );
    // Visitors' pages are anywhere; which of them are let in, the agent says.
    return scope === null || isKeyOptional === true ? { ...route, isForEveryPage: true } : route;
  });
}
