import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll } from "vitest";

/** Listens on this machine while the tests beside it run, and answers with what it was sent. Gives its address. */
export function describeEndpoint(): () => string {
  let endpoint: Server;
  beforeAll(async () => {
    endpoint = createServer((request, response) => {
      void text(request).then((body) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ stock: 3, asked: body, by: request.headers["authorization"] }));
      });
    });
    await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => endpoint?.close());
  return () => `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/stock`;
}
