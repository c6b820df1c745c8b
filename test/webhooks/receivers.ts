import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook } from "#common/webhooks/signature";
import type { WebhookPayload } from "#protocol/webhooks";

/** One request that a receiver got. */
export interface Receipt {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  payload: WebhookPayload;
  atMs: number;
}

/** How the receiver answers; the default is 204. */
export type ReceiverScript = (receipt: Receipt, response: ServerResponse, count: number) => void;

/** A web server on a loopback port that writes down every delivery. Different paths are different endpoints. */
export interface Receiver {
  url(path: string): string;
  host: string;
  receipts: Receipt[];
  at(path: string): Receipt[];
  close(): Promise<void>;
}

export async function startReceiver(
  script: ReceiverScript = (_receipt, response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const receipts: Receipt[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const path = request.url ?? "";
      const receipt: Receipt = {
        path,
        headers: request.headers,
        body,
        payload: JSON.parse(body) as WebhookPayload,
        atMs: Date.now(),
      };
      receipts.push(receipt);
      script(receipt, response, receipts.filter((other) => other.path === path).length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    host: `127.0.0.1:${port}`,
    receipts,
    at: (path) => receipts.filter((receipt) => receipt.path === path),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Both signature headers are there, equal, and valid for this secret at the time of receipt. */
export function isSigned(receipt: Receipt, secret: string): boolean {
  const { "x-service-webhook-signature": service, "x-fish-webhook-signature": fish } = receipt.headers;
  if (typeof service !== "string" || service !== fish) return false;
  return verifyWebhook(secret, service, Buffer.from(receipt.body), Math.floor(receipt.atMs / 1000)) === "valid";
}
