import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type SignatureVerdict, verifyWebhook } from "#common/webhooks/signature";
import { webhookSignatureHeaders } from "#protocol/webhooks";

/** A delivery as the listener saw it. */
export interface ReceivedWebhook {
  path: string;
  body: string;
  /** Of the body, where it is a JSON object with these; else null. */
  event: string | null;
  sessionId: string | null;
  /** Null when no secret was given to verify with. */
  signature: SignatureVerdict | null;
}

export interface WebhookListener {
  /** Address for an agent's `webhooks.post_call`. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Larger bodies are refused with 413. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Answers webhook deliveries on a loopback port (0 picks a free one) with one status, and tells of each. Rejects when
 * the port is taken.
 */
export async function listenForWebhooks(options: {
  port: number;
  secret: string | null;
  answerStatus: number;
  nowUnixSeconds: () => number;
  onReceived: (received: ReceivedWebhook) => void;
}): Promise<WebhookListener> {
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => answer(request, response, body, options),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type Answering = Parameters<typeof listenForWebhooks>[0];

function answer(request: IncomingMessage, response: ServerResponse, body: Buffer | null, options: Answering): void {
  if (request.method !== "POST" || body === null) {
    response.writeHead(body === null ? 413 : 405, request.method === "POST" ? {} : { allow: "POST" }).end();
    return;
  }
  const { secret, answerStatus, nowUnixSeconds, onReceived } = options;
  const header = webhookSignatureHeaders
    .map((name) => request.headers[name.toLowerCase()])
    .find((value) => typeof value === "string");
  const { event, sessionId } = namesIn(body.toString());
  response.writeHead(answerStatus).end();
  onReceived({
    ...{ path: request.url ?? "/", body: body.toString(), event, sessionId },
    signature:
      secret === null
        ? null
        : verifyWebhook(secret, typeof header === "string" ? header : undefined, body, nowUnixSeconds()),
  });
}

function namesIn(text: string): { event: string | null; sessionId: string | null } {
  const field = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Whatever somebody else posts here is shown as it came.
    return { event: null, sessionId: null };
  }
  const [event, sessionId] = [field(value, "event"), field(field(value, "session"), "id")];
  return {
    event: typeof event === "string" ? event : null,
    sessionId: typeof sessionId === "string" ? sessionId : null,
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks);
}
