import {
  type ForwardedRequest,
  type ForwardedResponse,
  hasScope,
  type KeyScope,
  type Principal,
} from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { Router as PathRouter } from "#common/http/router";
import type { OpenRequest, Route } from "./route.js";

/** Finds the route of a forwarded request and runs it. */
export class Router {
  readonly #routes: PathRouter<Route>;

  constructor(routes: readonly Route[]) {
    this.#routes = new PathRouter(routes);
  }

  /**
   * The pattern of the route that a request leads to, whatever its verb; `unmatched` for none: never the path, which
   * strangers choose.
   */
  patternOf({ method, path }: Pick<ForwardedRequest, "method" | "path">): string {
    const match = this.#routes.match(method, path);
    if (match.type === "nothing") return "unmatched";
    return (match.type === "route" ? match.route : match.routes[0])?.path ?? "unmatched";
  }

  /**
   * Gives the route's answer. Throws `not_found` for a path that no route has, `method_not_allowed` for a wrong verb on
   * one that exists, `unauthenticated`, `missing_scope`, and what the handler throws. `readBody` is called at most
   * once.
   */
  async handle(request: ForwardedRequest, readBody: () => Promise<Uint8Array>): Promise<ForwardedResponse> {
    const match = this.#routes.match(request.method, request.path);
    if (match.type === "nothing") throw new ServiceError("not_found");
    if (match.type === "methods")
      throw new ServiceError("method_not_allowed", { parameters: { allow: match.allow.join(", ") } });
    const { route, parameters } = match;
    const open: OpenRequest = {
      parameters,
      query: new URLSearchParams(request.query),
      headers: request.headers,
      body: readBody,
    };
    if (route.scope === null) return await route.handle(open);
    if ("isKeyOptional" in route) {
      const principal = request.principal === null ? null : requireScope(request.principal, route.scope);
      return await route.handleAnybody({ ...open, principal, clientAddress: request.clientAddress ?? null });
    }
    return await route.handle({ ...open, principal: requireScope(request.principal, route.scope) });
  }
}

function requireScope(principal: Principal | null, scope: KeyScope): Principal {
  if (principal === null) throw new ServiceError("unauthenticated");
  if (!hasScope(principal, scope)) throw new ServiceError("missing_scope", { parameters: { scope } });
  return principal;
}
