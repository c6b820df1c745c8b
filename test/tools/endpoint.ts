import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that an endpoint of ours received. */
export interface Received {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** An HTTP server on loopback that keeps what it gets. */
export interface Endpoint {
  url: string;
  received: Received[];
  /** How the next requests are answered. */
  answer: (response: ServerResponse, request: Received) => void;
  stop(): Promise<void>;
}

export async function startEndpoint(): Promise<Endpoint> {
  const endpoint: Endpoint = {
    url: "",
    received: [],
    answer: (response) => response.end("ok"),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const received: Received = { method, url, headers, body: Buffer.concat(chunks).toString() };
    endpoint.received.push(received);
    endpoint.answer(response, received);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return endpoint;
}
