import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ProbeAnswer } from "../lifecycle/probes.js";
import type { Metrics } from "./registry.js";

/** A listener that answers `GET /metrics` and the probes of a process, and nothing else. */
export interface MetricsListener {
  port: number;
  close(): void;
}

/** Opens it; rejects when the port is taken. */
export async function listenForScrapes(options: {
  host: string;
  port: number;
  metrics: Metrics;
  /** What a path answers that is a probe; null where it is none. */
  probe: (path: string) => ProbeAnswer | null;
}): Promise<MetricsListener> {
  const { host, port, metrics, probe } = options;
  const server = createServer((request, response) => {
    const path = request.method === "GET" ? (request.url ?? "").split("?")[0] : undefined;
    const probed = path === undefined ? null : probe(path);
    if (probed !== null) {
      const body = JSON.stringify({ ok: probed.isPositive, reasons: probed.reasons });
      const headers = { "content-type": "application/json", "cache-control": "no-store" };
      response.writeHead(probed.isPositive ? 200 : 503, headers).end(body);
      return;
    }
    if (path !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType, "cache-control": "no-store" }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
