import { Redis } from "ioredis";
import { newIdentifier } from "#common/identifier";
import { deferred } from "#common/deferred";
import {
  claimRequestBytes,
  claimResponseBytes,
  type PsrpcClaim,
  type PsrpcResponse,
  readClaim,
  readRequest,
  readResponse,
  requestBytes,
  responseBytes,
} from "./envelope.js";

/** An answer that is an error, with psrpc's code and perhaps a `google.protobuf.Any` about it. */
export class PsrpcError extends Error {
  override name = "PsrpcError";
  constructor(
    readonly code: string,
    message: string,
    readonly detail: Buffer = Buffer.alloc(0),
  ) {
    super(message);
  }
}

type Handler = (body: Buffer) => Promise<Buffer>;

/** Milliseconds that a call of ours may take: as psrpc's clients have it. */
const ANSWER_MS = 3000;

/**
 * LiveKit's calls between its programs, psrpc over the channels of a Redis server, for methods that are claimed before
 * they run: a client asks all, a server claims, the client chooses one, that one answers.
 */
export class PsrpcBus {
  readonly #publisher: Redis;
  readonly #subscriber: Redis;
  readonly #id = newIdentifier();
  readonly #readers = new Map<string, (bytes: Buffer) => void>();

  constructor(redisUrl: string) {
    this.#publisher = new Redis(redisUrl);
    this.#subscriber = new Redis(redisUrl);
    this.#subscriber.on("messageBuffer", (channel: Buffer, bytes: Buffer) => {
      this.#readers.get(channel.toString())?.(bytes);
    });
  }

  /** Answers a method of a service, of one topic or with "" of none. Gives what ends it. */
  async serve(service: string, method: string, topic: string, handler: Handler): Promise<() => Promise<void>> {
    const claims = new Map<string, (claim: PsrpcClaim) => void>();
    const requests = channelOf(service, method, topic, "REQ");
    const choices = channelOf(service, method, topic, "RCLAIM");
    await this.#subscribe(choices, (bytes) => {
      const claim = readClaim(bytes);
      claims.get(claim.requestId)?.(claim);
    });
    await this.#subscribe(requests, (bytes) => void this.#answer(service, bytes, claims, handler));
    return () => this.#unsubscribe([requests, choices]);
  }

  /** Asks whoever serves a method that has no topics. Rejects with PsrpcError. */
  async ask(service: string, method: string, body: Buffer): Promise<Buffer> {
    const requestId = `REQ_${newIdentifier()}`;
    const clientId = `CLI_${newIdentifier()}`;
    const claims = channelOf(service, clientId, "CLAIM");
    const responses = channelOf(service, clientId, "RES");
    const answered = deferred<PsrpcResponse>();
    const late = setTimeout(
      () => answered.reject(new PsrpcError("unavailable", "no response from servers")),
      ANSWER_MS,
    );
    try {
      await this.#subscribe(responses, (bytes) => answered.resolve(readResponse(bytes)));
      await this.#subscribe(claims, (bytes) => {
        const { serverId } = readClaim(bytes);
        void this.#publish(channelOf(service, method, "RCLAIM"), claimResponseBytes({ requestId, serverId }));
      });
      const expiryNs = (Date.now() + ANSWER_MS) * 1e6;
      await this.#publish(channelOf(service, method, "REQ"), requestBytes({ requestId, clientId, expiryNs, body }));
      const response = await answered.promise;
      if (response.error !== "") throw new PsrpcError(response.code, response.error, response.detail);
      return response.body;
    } finally {
      clearTimeout(late);
      await this.#unsubscribe([claims, responses]);
    }
  }

  close(): void {
    this.#publisher.disconnect();
    this.#subscriber.disconnect();
  }

  async #answer(
    service: string,
    bytes: Buffer,
    claims: Map<string, (claim: PsrpcClaim) => void>,
    handler: Handler,
  ): Promise<void> {
    const { requestId, clientId, expiryNs, body } = readRequest(bytes);
    const serverId = `SRV_${this.#id}`;
    const chosen = deferred<boolean>();
    const expired = setTimeout(() => chosen.resolve(false), expiryNs / 1e6 - Date.now());
    claims.set(requestId, (claim) => chosen.resolve(claim.serverId === serverId));
    await this.#publish(channelOf(service, clientId, "CLAIM"), claimRequestBytes({ requestId, serverId }));
    const isOurs = await chosen.promise;
    clearTimeout(expired);
    claims.delete(requestId);
    if (!isOurs) return;
    const response = { requestId, serverId, ...(await outcomeOf(handler, body)) };
    await this.#publish(channelOf(service, clientId, "RES"), responseBytes(response));
  }

  async #subscribe(channel: string, read: (bytes: Buffer) => void): Promise<void> {
    this.#readers.set(channel, read);
    await this.#subscriber.subscribe(channel);
  }

  async #unsubscribe(channels: string[]): Promise<void> {
    for (const channel of channels) this.#readers.delete(channel);
    if (this.#subscriber.status === "ready") await this.#subscriber.unsubscribe(...channels);
  }

  async #publish(channel: string, bytes: Buffer): Promise<void> {
    // A call may end while its bus closes: then nobody waits for the answer.
    if (this.#publisher.status !== "end") await this.#publisher.publish(channel, bytes);
  }
}

async function outcomeOf(handler: Handler, body: Buffer): Promise<Omit<PsrpcResponse, "requestId" | "serverId">> {
  const none = Buffer.alloc(0);
  try {
    return { body: await handler(body), error: "", code: "", detail: none };
  } catch (error) {
    const { code, message, detail } = error instanceof PsrpcError ? error : new PsrpcError("unknown", String(error));
    return { body: none, error: message, code, detail };
  }
}

/** Empty parts are left out. Identifiers have no character that psrpc would write in another way. */
function channelOf(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("|");
}
