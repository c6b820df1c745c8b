import { roles } from "#protocol/bus/membership";
import type { Bus } from "#common/bus/bus";
import type { Membership } from "#common/membership/membership";
import type { Metrics } from "#common/metrics/registry";
import type { VerdictSource } from "../authentication/key-verifier.js";
import type { ExchangeObserver } from "../http/dispatcher.js";

/** What the edge counts apart from speech. */
export interface EdgeMetrics {
  exchanges: ExchangeObserver;
  keyVerdict(source: VerdictSource): void;
}

/** Opens the edge's metrics. `read` gives the values that are looked at when a scraper asks. */
export function createEdgeMetrics(
  metrics: Metrics,
  read: { openSockets: () => number; members: Membership; bus: Pick<Bus, "isConnected"> },
): EdgeMetrics {
  let active = 0;
  const requests = metrics.counter("parley_http_requests_total");
  const seconds = metrics.histogram("parley_http_request_seconds");
  const bytes = metrics.counter("parley_http_sent_bytes_total");
  const verdicts = metrics.counter("parley_key_verdicts_total");
  metrics.gauge("parley_http_requests_active", () => active);
  metrics.gauge("parley_websockets_open", read.openSockets);
  metrics.gauge("parley_bus_connected", () => Number(read.bus.isConnected()));
  metrics.gauges("parley_members", () => countMembers(read.members));
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
