import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Passes on what LiveKit tells its webhook: the server is configured before there is an edge to tell. */
export interface WebhookRelay {
  url: string;
  /** Where to; nowhere while null, and LiveKit is answered 503. */
  target: string | null;
  /** What the target answered. */
  statuses: number[];
  /** What LiveKit said, and how it signed that. */
  messages: { authorization: string; body: string }[];
  close(): Promise<void>;
}

export async function startWebhookRelay(): Promise<WebhookRelay> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization = "", "content-type": type = "" } = request.headers;
    const body = Buffer.concat(chunks);
    relay.messages.push({ authorization, body: body.toString() });
    const headers = { authorization, "content-type": type };
    const status =
      relay.target === null
        ? 503
        : await fetch(relay.target, { method: "POST", headers, body }).then(
            (answer) => answer.status,
            () => 502,
          );
    relay.statuses.push(status);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const relay: WebhookRelay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    target: null,
    ...{ statuses: [], messages: [] },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return relay;
}
