import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { newIdentifier } from "#common/identifier";
import { type Deferred, deferred } from "#common/deferred";
import { keyOf, refusalAck, responseTo, withToTag } from "./derived-messages.js";
import {
  headerOf,
  headersOf,
  messageBytes,
  parameterOf,
  parseMessage,
  type SipHeader,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from "./message.js";

/** Where a message goes to or came from. */
export interface Peer {
  host: string;
  port: number;
}

/** A request that came, and how it is answered. */
export interface IncomingRequest {
  request: SipRequest;
  source: Peer;
  /** Ours in the call that it is about: the To's, or one for a new call. */
  localTag: string;
  respond(status: number, reason: string, extra?: { headers?: SipHeader[]; body?: string }): void;
}

/** A request of ours on its way. */
export interface OutgoingRequest {
  /** With its Via: a CANCEL repeats it. */
  request: SipRequest;
  /** The final response; a 408 of our own where none comes. */
  response: Promise<SipResponse>;
  /** Settles with the first provisional response, or with the final one. */
  progress: Promise<void>;
}

/** RFC 3261: the first repetition of a request over UDP, and when nobody is expected to answer any more. */
const REPEAT_MS = 500;
const SILENCE_MS = 32_000;

const LOOPBACK = "127.0.0.1";

interface Transaction {
  outgoing: Omit<OutgoingRequest, "response" | "progress">;
  peer: Peer;
  onProvisional: (response: SipResponse) => void;
  final: Deferred<SipResponse>;
  progress: Deferred<void>;
  isAnswered: boolean;
}

/**
 * A UDP socket on loopback that speaks SIP: it matches responses to requests, repeats requests that nobody answers,
 * repeats responses to requests that come again, and acknowledges refusals.
 */
export class SipEndpoint {
  readonly #socket: Socket;
  readonly #transactions = new Map<string, Transaction>();
  /** By the transaction of the request; null until it has its first response. */
  readonly #responses = new Map<string, Buffer | null>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly port: number;
  readonly #newTag: () => string;
  #isClosed = false;
  onRequest: (incoming: IncomingRequest) => void = () => undefined;

  private constructor(socket: Socket, newTag: () => string) {
    this.#socket = socket;
    this.#newTag = newTag;
    this.port = socket.address().port;
    socket.on("message", (bytes, source) => this.#receive(bytes, source));
    // Nobody listens at the other end, which is found out by its silence.
    socket.on("error", () => undefined);
  }

  static async open({ port = 0, newTag = newIdentifier } = {}): Promise<SipEndpoint> {
    const socket = createSocket("udp4");
    socket.bind(port, LOOPBACK);
    await once(socket, "listening");
    return new SipEndpoint(socket, newTag);
  }

  /** `127.0.0.1:port`. */
  get address(): string {
    return `${LOOPBACK}:${this.port}`;
  }

  /** Sends a request, with a Via of its own or, for a CANCEL, that of the request that it ends. */
  send(
    request: SipRequest,
    peer: Peer,
    onProvisional: (response: SipResponse) => void = () => undefined,
  ): OutgoingRequest {
    const via = `SIP/2.0/UDP ${this.address};rport;branch=z9hG4bK${newIdentifier()}`;
    const isRouted = headersOf(request, "via").length > 0;
    const sent: SipRequest = isRouted ? request : { ...request, headers: [["Via", via], ...request.headers] };
    const transaction: Transaction = {
      ...{
        outgoing: { request: sent },
        peer,
        onProvisional,
        final: deferred(),
        progress: deferred(),
        isAnswered: false,
      },
    };
    this.#write(sent, peer);
    const { final, progress } = transaction;
    const outgoing = { request: sent, response: final.promise, progress: progress.promise };
    if (sent.method === "ACK") return outgoing;
    const key = keyOf(sent);
    this.#transactions.set(key, transaction);
    this.#repeat(transaction, REPEAT_MS);
    const silence = this.#after(SILENCE_MS, () => {
      if (!transaction.isAnswered) final.resolve(responseTo(sent, 408, "Request Timeout"));
    });
    void final.promise.then(() => {
      progress.resolve();
      clearTimeout(silence);
      this.#transactions.delete(key);
    });
    return outgoing;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#isClosed = true;
    this.#socket.close();
  }

  #repeat(transaction: Transaction, delayMs: number): void {
    this.#after(delayMs, () => {
      if (transaction.isAnswered) return;
      this.#write(transaction.outgoing.request, transaction.peer);
      this.#repeat(transaction, delayMs * 2);
    });
  }

  #after(delayMs: number, run: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, delayMs);
    this.#timers.add(timer);
    return timer;
  }

  #write(message: SipMessage, peer: Peer): void {
    this.#sendBytes(messageBytes(message), peer);
  }

  /** What is said after the end reaches nobody, as on a line that was cut. */
  #sendBytes(bytes: Buffer, peer: Peer): void {
    if (!this.#isClosed) this.#socket.send(bytes, peer.port, peer.host);
  }

  #receive(bytes: Buffer, { address, port }: RemoteInfo): void {
    const message = parseMessage(bytes);
    const source = { host: address, port };
    if (message?.kind === "response") this.#receiveResponse(message);
    else if (message !== null) this.#receiveRequest(message, source);
  }

  #receiveResponse(response: SipResponse): void {
    const transaction = this.#transactions.get(keyOf(response));
    if (transaction === undefined) return;
    transaction.isAnswered = true;
    transaction.progress.resolve();
    if (response.status < 200) return transaction.onProvisional(response);
    const { request } = transaction.outgoing;
    if (request.method === "INVITE" && response.status >= 300)
      this.#write(refusalAck(request, response), transaction.peer);
    transaction.final.resolve(response);
  }

  #receiveRequest(request: SipRequest, source: Peer): void {
    const key = keyOf(request);
    const earlier = this.#responses.get(key);
    if (earlier !== undefined && request.method !== "ACK") {
      if (earlier !== null) this.#sendBytes(earlier, source);
      return;
    }
    this.#responses.set(key, null);
    const givenTag = parameterOf(headerOf(request, "to"), "tag");
    const localTag = givenTag ?? this.#newTag();
    this.onRequest({
      request,
      source,
      localTag,
      respond: (status, reason, { headers = [], body = "" } = {}) => {
        const copied = responseTo(request, status, reason);
        const plain = givenTag === null && status > 100 ? withToTag(copied, localTag) : copied;
        const bytes = messageBytes({ ...plain, headers: [...plain.headers, ...headers], body });
        this.#responses.set(key, bytes);
        this.#sendBytes(bytes, source);
      },
    });
  }
}
