import type { ForwardedResponse, KeyScope, Principal } from "#protocol/bus/control";

/** A request as a route's handler sees it. */
export interface RouteRequest {
  principal: Principal;
  /** Values of the path's `:placeholders`, decoded. */
  parameters: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** The whole body; fetched when it is first asked for. */
  body(): Promise<Uint8Array>;
}

/** A request that may come without a key. */
export type OpenRequest = Omit<RouteRequest, "principal">;

/** A request whose key is optional. */
export interface VisitorRequest extends OpenRequest {
  /** Null for a caller without a key. */
  principal: Principal | null;
  /** Of a caller without a key; null where it is not known. */
  clientAddress: string | null;
}

interface Routed {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with `:placeholders`, each for one segment. */
  path: string;
}

/** A route for callers with a key. */
export interface KeyedRoute extends Routed {
  /** What the caller's key must cover. */
  scope: KeyScope;
  /** Gives the answer, or throws a ServiceError. */
  handle(request: RouteRequest): Promise<ForwardedResponse>;
}

/** A route for everyone; it does not learn who calls. */
export interface OpenRoute extends Routed {
  scope: null;
  /** Gives the answer, or throws a ServiceError. */
  handle(request: OpenRequest): Promise<ForwardedResponse>;
}

/** A route for callers with a key and for those without one; a key must cover the scope. */
export interface VisitorRoute extends Routed {
  scope: KeyScope;
  isKeyOptional: true;
  /** Gives the answer, or throws a ServiceError. */
  handleAnybody(request: VisitorRequest): Promise<ForwardedResponse>;
}

/** One route of the control plane. */
export type Route = KeyedRoute | OpenRoute | VisitorRoute;

/** A JSON answer. */
export function json(status: number, value: unknown): ForwardedResponse {
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(value)) };
}

/** An answer of nothing but a status. */
export function empty(status: number): ForwardedResponse {
  return { status, headers: {}, body: new Uint8Array(0) };
}
