/** Anything reachable under a method and a path pattern. */
export interface Routed {
  method: string;
  path: string;
}

/**
 * What a path leads to: a route, the routes of other methods with the methods that would have led to one, or nothing.
 */
export type Match<R> =
  | { type: "route"; route: R; parameters: Record<string, string> }
  | { type: "methods"; allow: string[]; routes: R[] }
  | { type: "nothing" };

/**
 * Finds routes by method and path, as OpenAPI reads its paths: of the patterns that fit a path only the closest counts.
 * Literal segments are closer than `:placeholders`, and these than `/*`, of which the longest is closest.
 */
export class Router<R extends Routed> {
  readonly #routes: { route: R; pattern: PathPattern }[];

  constructor(routes: readonly R[]) {
    this.#routes = routes
      .map((route) => ({ route, pattern: compilePath(route.path) }))
      .sort((a, b) => comparePatterns(a.pattern, b.pattern));
  }

  match(method: string, path: string): Match<R> {
    const segments = splitPath(path);
    const wanted = method === "HEAD" ? "GET" : method;
    const routes: R[] = [];
    let closest: PathPattern | null = null;
    for (const { route, pattern } of this.#routes) {
      if (closest !== null && comparePatterns(closest, pattern) < 0) break;
      const parameters = matchPath(pattern, segments);
      if (parameters === null) continue;
      if (route.method === wanted) return { type: "route", route, parameters };
      closest = pattern;
      routes.push(route);
    }
    return routes.length === 0 ? { type: "nothing" } : { type: "methods", routes, allow: methodsOf(routes) };
  }
}

function methodsOf(routes: readonly Routed[]): string[] {
  const methods = new Set(routes.map(({ method }) => method)).add("OPTIONS");
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].sort();
}

/** A path pattern in segments; `rest` when it ends in `/*`. */
export interface PathPattern {
  segments: string[];
  rest: boolean;
}

export function compilePath(path: string): PathPattern {
  const rest = path.endsWith("/*");
  if (path === "/*") return { segments: [], rest };
  return { segments: splitPath(rest ? path.slice(0, -2) : path), rest };
}

/**
 * Segments without the leading slash. A client whose base address ends in a slash sends `//v1/…`, others end a path in
 * one: both mean the same.
 */
export function splitPath(path: string): string[] {
  return path.replace(/^\/+/, "").replace(/\/$/, "").split("/");
}

/**
 * Decoded placeholder values, or null where the path does not fit. A placeholder takes one segment of at least one
 * character.
 */
export function matchPath(pattern: PathPattern, segments: readonly string[]): Record<string, string> | null {
  const fits = pattern.rest ? segments.length > pattern.segments.length : segments.length === pattern.segments.length;
  if (!fits) return null;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.segments.entries()) {
    const segment = segments[index] ?? "";
    if (!expected.startsWith(":")) {
      if (segment !== expected) return null;
      continue;
    }
    const value = decodeSegment(segment);
    if (value === null || value === "") return null;
    parameters[expected.slice(1)] = value;
  }
  return parameters;
}

function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null; // a broken escape names nothing that exists
  }
}

function comparePatterns(a: PathPattern, b: PathPattern): number {
  if (a.rest !== b.rest) return a.rest ? 1 : -1;
  if (a.rest && a.segments.length !== b.segments.length) return b.segments.length - a.segments.length;
  const placeholders = (pattern: PathPattern): number =>
    pattern.segments.filter((segment) => segment.startsWith(":")).length;
  return placeholders(a) - placeholders(b);
}
