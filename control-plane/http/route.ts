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

/** One route of the control plane. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with `:placeholders`, each for one segment. */
  path: string;
  /** What the caller's key must cover. */
  scope: KeyScope;
  /** Gives the answer, or throws a ServiceError. */
  handle(request: RouteRequest): Promise<ForwardedResponse>;
}

/** A JSON answer. */
export function json(status: number, value: unknown): ForwardedResponse {
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(value)) };
}
