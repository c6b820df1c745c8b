import {
  type ForwardedRequest,
  type ForwardedResponse,
  hasScope,
  type KeyScope,
  type Principal,
} from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { OpenRequest, Route } from "./route.js";

/** Finds the route of a forwarded request and runs it. */
export class Router {
  readonly #routes: { route: Route; segments: string[] }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ route, segments: segmentsOf(route.path) }));
  }

  /**
   * The pattern of the route that a request leads to, whatever its verb; `unmatched` for none: never the path, which
   * strangers choose.
   */
  patternOf({ path }: Pick<ForwardedRequest, "path">): string {
    try {
      const segments = segmentsOf(path).map(decode);
      return this.#routes.find((entry) => matches(entry.segments, segments))?.route.path ?? "unmatched";
    } catch (error) {
      if (error instanceof ServiceError) return "unmatched";
      throw error;
    }
  }

  /**
   * Gives the route's answer. Throws `not_found` for a path that no route has, `method_not_allowed` for a wrong verb on
   * one that exists, `unauthenticated`, `missing_scope`, and what the handler throws. `readBody` is called at most
   * once.
   */
  async handle(request: ForwardedRequest, readBody: () => Promise<Uint8Array>): Promise<ForwardedResponse> {
    const segments = segmentsOf(request.path).map(decode);
    const candidates = this.#routes.filter((entry) => matches(entry.segments, segments));
    if (candidates.length === 0) throw new ServiceError("not_found");
    const found = candidates.find((entry) => entry.route.method === request.method);
    if (found === undefined) {
      throw new ServiceError("method_not_allowed", {
        parameters: { allow: candidates.map((entry) => entry.route.method).join(", ") },
      });
    }
    const { route } = found;
    const open: OpenRequest = {
      parameters: placeholders(found.segments, segments),
      query: new URLSearchParams(request.query),
      headers: request.headers,
      body: readBody,
    };
    if (route.scope === null) return await route.handle(open);
    return await route.handle({ ...open, principal: requireScope(request.principal, route.scope) });
  }
}

function requireScope(principal: Principal | null, scope: KeyScope): Principal {
  if (principal === null) throw new ServiceError("unauthenticated");
  if (!hasScope(principal, scope)) throw new ServiceError("missing_scope", { parameters: { scope } });
  return principal;
}

/** Empty segments do not count: clients whose base URL ends in a slash send `//model`. */
function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new ServiceError("not_found", { cause });
  }
}

function matches(pattern: string[], segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => part.startsWith(":") || part === segments[index])
  );
}

function placeholders(pattern: string[], segments: string[]): Record<string, string> {
  const named = pattern.flatMap((part, index) =>
    part.startsWith(":") ? [[part.slice(1), segments[index] ?? ""] as const] : [],
  );
  return Object.fromEntries(named);
}
