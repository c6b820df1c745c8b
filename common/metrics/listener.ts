import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "./registry.js";

/** A listener that answers `GET /metrics` and nothing else. */
export interface MetricsListener {
  port: number;
  close(): void;
}

/** Opens it; rejects when the port is taken. */
export async function listenForScrapes(options: {
  host: string;
  port: number;
  metrics: Metrics;
}): Promise<MetricsListener> {
  const { host, port, metrics } = options;
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url?.split("?")[0] !== "/metrics") {
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
