import { type SpanAttributes, spanNowMs, type Tracing } from "#common/tracing/span";
import type { ExchangeObserver } from "../http/dispatcher.js";
import type { SocketRoute, SocketSession } from "../http/exchange.js";
import type { TraceTeams } from "./trace-teams.js";

/** The observer, with a span for every answered request besides. Without tracing it is the observer itself. */
export function traceExchanges(
  inner: ExchangeObserver,
  tracing: Tracing,
  teamOf: TraceTeams["teamOf"],
): ExchangeObserver {
  if (!tracing.enabled) return inner;
  return {
    began: () => inner.began(),
    ended: (record, context) => {
      inner.ended(record, context);
      const { method } = record;
      const endMs = spanNowMs();
      tracing.record({
        name: `HTTP ${method} ${record.route}`,
        kind: "server",
        context,
        startMs: endMs - record.durationMs,
        endMs,
        failed: record.status >= 500,
        attributes: {
          "http.request.method": method,
          "http.route": record.route,
          "http.response.status_code": record.status,
          ...teamAttribute(teamOf(context)),
        },
      });
    },
  };
}

/**
 * The routes, with a span from each accepted upgrade to the connection's end. Without tracing they are the routes
 * themselves.
 */
export function traceSockets(
  routes: readonly SocketRoute[],
  tracing: Tracing,
  teamOf: TraceTeams["teamOf"],
): SocketRoute[] {
  if (!tracing.enabled) return [...routes];
  return routes.map((route) => ({
    ...route,
    upgrade: async (request) => {
      const startMs = spanNowMs();
      const open = await route.upgrade(request);
      return (connection) => {
        const onEnd = (): void =>
          tracing.record({
            name: `WebSocket ${route.path}`,
            kind: "server",
            context: request.trace,
            startMs,
            endMs: spanNowMs(),
            failed: false,
            attributes: {
              "http.request.method": "GET",
              "http.route": route.path,
              ...teamAttribute(teamOf(request.trace)),
            },
          });
        return endingWith(open(connection), onEnd);
      };
    },
  }));
}

const teamAttribute = (team: string | undefined): SpanAttributes => (team === undefined ? {} : { "parley.team": team });

function endingWith(session: SocketSession, onEnd: () => void): SocketSession {
  return {
    message: (data, isBinary) => session.message(data, isBinary),
    end: () => {
      session.end();
      onEnd();
    },
    ...(session.drain === undefined ? {} : { drain: () => session.drain?.() }),
  };
}
