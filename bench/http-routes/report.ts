import { table } from "../results.js";
import type { HttpRoutesFigures } from "./run.js";

/** The figures as a page of text. */
export function printHttpRoutes({ lines, ratios, versions }: HttpRoutesFigures): string {
  const head = [
    "route",
    "connections",
    "2xx per second",
    "÷ Fastify",
    "others per second",
    "failed",
    "p50 ms",
    "p97.5",
    "p99",
    "max",
  ];
  const rows = lines.map(({ route, connections, perSecond, refusedPerSecond, failed, latencyMs }) => {
    const ratio = ratios.find((one) => one.route === route && one.connections === connections)?.perSecond;
    const latencies =
      latencyMs === null ? Array(4).fill("–") : [latencyMs.p50, latencyMs.p97_5, latencyMs.p99, latencyMs.max];
    return [route, connections, perSecond, ratio ?? 1, refusedPerSecond, failed, ...(latencies as (string | number)[])];
  });
  return [
    table(head, rows),
    "Latencies at half of the requests per second, corrected for coordinated omission, in whole milliseconds.",
    `With ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`,
  ].join("\n");
}
