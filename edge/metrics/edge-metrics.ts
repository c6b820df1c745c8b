import type { Role } from "#protocol/bus/membership";
import type { Bus } from "#common/bus/bus";
import type { Membership } from "#common/membership/membership";
import type { Metrics } from "#common/metrics/registry";
import type { VerdictSource } from "../authentication/key-verifier.js";
import type { ExchangeObserver } from "../http/dispatcher.js";

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What the edge counts apart from speech. */
export interface EdgeMetrics {
  exchanges: ExchangeObserver;
  keyVerdict(source: VerdictSource): void;
}

/** Declares the edge's metrics. `read` gives the values that are looked at when a scraper asks. */
export function createEdgeMetrics(
  metrics: Metrics,
  read: { openSockets: () => number; members: Membership; bus: Pick<Bus, "isConnected"> },
): EdgeMetrics {
  let active = 0;
  const answered = "HTTP requests answered, by route pattern and status (499: the client left first).";
  const requests = metrics.counter("parley_http_requests_total", answered, ["route", "method", "status"]);
  const seconds = metrics.histogram("parley_http_request_seconds", "Time from a request's head to the end of its answer.", requestSeconds, ["route"]);
  const bytes = metrics.counter("parley_http_sent_bytes_total", "Body bytes sent over HTTP, by route pattern.", ["route"]);
  const from = "Keys verified, by where the answer came from: memory, redis or control-plane.";
  const verdicts = metrics.counter("parley_key_verdicts_total", from, ["source"]);
  metrics.gauge("parley_http_requests_active", "HTTP requests being answered.", () => active);
  metrics.gauge("parley_websockets_open", "WebSockets open.", read.openSockets);
  metrics.gauge("parley_bus_connected", "1 while connected to NATS.", () => Number(read.bus.isConnected()));
  const heard = "Members of the cluster that this edge hears, by role and state.";
  metrics.gauges("parley_members", heard, ["member_role", "state"], () => countMembers(read.members));
  return {
    exchanges: {
      began: () => void active++,
      ended: (record) => {
        active--;
        requests({ route: record.route, method: record.method, status: String(record.status) });
        seconds({ route: record.route }, record.durationMs / 1000);
        bytes({ route: record.route }, record.sentBytes);
      },
    },
    keyVerdict: (source) => verdicts({ source }),
  };
}

const roles: readonly Role[] = ["edge", "scheduler", "worker", "control-plane"];

function countMembers(members: Membership): { labels: Record<string, string>; value: number }[] {
  const groups = new Map<string, { labels: Record<string, string>; value: number }>();
  for (const { role, state } of roles.flatMap((name) => members.ofRole(name))) {
    const key = `${role} ${state}`;
    const group = groups.get(key) ?? { labels: { member_role: role, state }, value: 0 };
    group.value++;
    groups.set(key, group);
  }
  return [...groups.values()];
}
