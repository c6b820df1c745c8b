import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { Client, errors } from "undici";
import { version } from "../version.js";
import { connectPinned, type Dial } from "./connect.js";
import { OutboundError } from "./outbound-error.js";
import type { HeaderList } from "./request-headers.js";
import { readCapped } from "./response-body.js";
import type { Target } from "./target.js";

/** One request over one fresh connection. */
export interface OpenExchange {
  dial: Dial | null;
  certificateAuthorities: readonly string[];
  target: Target;
  /** Judged; the connection goes to one of these and nowhere else. */
  addresses: readonly string[];
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers: HeaderList;
  body: Uint8Array | null;
  /** Value of `Accept-Encoding`. */
  encodings: string;
  maxResponseBytes: number;
  signal: AbortSignal;
}

/** One request and its whole answer. */
export interface Exchange extends OpenExchange {
  truncate: boolean;
}

/** An answer whose body is still to come. */
export interface OpenAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** As it comes, encoded as `encoding` says. */
  body: Readable;
  encoding: string;
  /** Ends the connection, whatever its state. */
  close(): void;
  /**
   * Takes what is left of the body from a reader who wants no more of it, so that the connection serves another
   * request; absent where it ends with the answer.
   */
  keep?(rest: AsyncGenerator<Uint8Array, void, void>): void;
}

export interface ExchangeResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  truncated: boolean;
}

export const MAX_RESPONSE_HEADER_BYTES = 32 * 1024;
/** What an answer may bring besides its body: headers, informational answers, chunk frames. */
const FRAME_ALLOWANCE_BYTES = 256 * 1024;
const WATCH_INTERVAL_MS = 50;
/** For each address of a name while others are left. */
const CONNECT_ATTEMPT_MS = 2500;

/**
 * Sends one request and reads its answer. Throws OutboundError; a 3xx is an answer like any other. Nothing of the
 * connection is left when this settles.
 */
export async function exchange(options: Exchange): Promise<ExchangeResponse> {
  const { status, headers, body, encoding, close } = await openExchange(options);
  try {
    const { bytes, truncated } = await readCapped(body, encoding, options.maxResponseBytes, options.truncate);
    return { status, headers, body: bytes, truncated };
  } catch (error) {
    throw toOutboundError(error, options.signal);
  } finally {
    close();
  }
}

/**
 * Sends one request and gives the answer's head as soon as it is there. Throws OutboundError; what goes wrong later is
 * the body's error, which `toOutboundError` names. The connection stands until `close` is called.
 */
export async function openExchange(options: OpenExchange): Promise<OpenAnswer> {
  let socket: Socket | null = null;
  const client = new Client(options.target.url.origin, {
    pipelining: 1,
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    // The request has one deadline for everything: the signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      connectTarget(options).then(
        (opened) => {
          socket = opened;
          callback(null, opened);
        },
        (error: unknown) =>
          callback(error instanceof Error ? error : new OutboundError("connect_failed", { cause: error }), null),
      );
    },
  });
  const stopWatch = watchBytes(() => socket, options.maxResponseBytes);
  const close = (): void => {
    stopWatch();
    // Not awaited: what a broken peer does with the end of the connection is its own affair.
    client.destroy().catch(() => undefined);
  };
  try {
    return { ...(await sendOn(client, options)), close };
  } catch (error) {
    close();
    throw toOutboundError(error, options.signal);
  }
}

/**
 * Ends the connection where an answer brings more than its limit: endless informational answers or chunk extensions
 * never reach the body's. Gives what stops watching.
 */
export function watchBytes(socketOf: () => Socket | null, maxResponseBytes: number): () => void {
  const readBefore = socketOf()?.bytesRead ?? 0;
  const watched = socketOf();
  const watch = setInterval(() => {
    const socket = socketOf();
    const read = (socket?.bytesRead ?? 0) - (socket === watched ? readBefore : 0);
    if (read > maxResponseBytes + FRAME_ALLOWANCE_BYTES) socket?.destroy(new OutboundError("response_too_large"));
  }, WATCH_INTERVAL_MS);
  return () => clearInterval(watch);
}

/** Connects to a target whose addresses are judged. Throws OutboundError; ends early when the signal fires. */
export async function connectTarget(
  options: Pick<OpenExchange, "target" | "dial" | "addresses" | "signal" | "certificateAuthorities">,
): Promise<Socket> {
  const { target, dial, addresses, signal, certificateAuthorities } = options;
  const tlsName = target.url.protocol === "https:" ? target.host : null;
  return await connectPinned({
    dial,
    addresses,
    port: target.port,
    tlsName,
    attemptMs: CONNECT_ATTEMPT_MS,
    signal,
    certificateAuthorities,
  });
}

/** Sends a request over a client's connection and gives the head of its answer. */
export async function sendOn(
  client: Client,
  options: Pick<OpenExchange, "target" | "method" | "headers" | "body" | "encodings" | "signal">,
): Promise<Omit<OpenAnswer, "close" | "keep">> {
  const { target, method, body, signal, encodings } = options;
  const headers = [...options.headers, ["accept-encoding", encodings] as const];
  if (!headers.some(([name]) => name.toLowerCase() === "user-agent")) headers.push(["user-agent", `parley/${version}`]);
  const answer = await client.request({
    path: `${target.url.pathname}${target.url.search}`,
    method,
    headers: headers.flat(),
    body,
    signal,
    // Nothing is ever sent twice by the client itself: trying again is the caller's decision.
    idempotent: false,
  });
  const responseHeaders = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  // Whoever reads the body gets its errors; where nobody does, they must not end the process.
  answer.body.on("error", () => undefined);
  const empty = method === "HEAD" || answer.statusCode === 204 || answer.statusCode === 304;
  const encoding = empty ? "" : (responseHeaders["content-encoding"] ?? "");
  return { status: answer.statusCode, headers: responseHeaders, body: answer.body, encoding };
}

/** What went wrong in an exchange, in the guard's own words. */
export function toOutboundError(error: unknown, signal: AbortSignal): OutboundError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof OutboundError) return cause;
  if (signal.aborted) return new OutboundError("timeout", { cause: error });
  if (error instanceof errors.HeadersOverflowError || error instanceof errors.ResponseExceededMaxSizeError) {
    return new OutboundError("response_too_large", { cause: error });
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError) {
    return new OutboundError("bad_response", { cause: error });
  }
  if (error instanceof errors.InvalidArgumentError) return new OutboundError("forbidden_header", { cause: error });
  return new OutboundError("connection_lost", { cause: error });
}
