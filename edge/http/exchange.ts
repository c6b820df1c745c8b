import type { ServiceError } from "#protocol/errors";
import type { RenderedResponse } from "#common/http/error-body";
import type { TraceContext } from "#common/tracing/traceparent";

/** HTTP and WebSocket as the edge's handlers see them; `uws.ts` is the one file that knows the engine behind. */

/** A request whose head has arrived. Everything here was copied before the engine's own object expired. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Raw query string without `?`. */
  readonly query: string;
  /** Header value by lower-case name. */
  header(name: string): string | undefined;
  /** The client's address, as `ReadClientAddress` tells it. */
  readonly remoteAddress: string;
  /** The caller's trace, or a fresh one: log lines and work done for this request carry it (`formatTraceparent`). */
  readonly trace: TraceContext;
  /** Values of the route's `:placeholders`, URL-decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /**
   * Reads the whole body. Throws `payload_too_large` as soon as more than the route's `maxBodyBytes` are announced or
   * arrive.
   */
  body(): Promise<Uint8Array>;
  /**
   * Gives the body piece by piece as it arrives, instead of `body`; from this call on the client's sending is held up
   * while nobody asks for the next piece. How long to wait for a slow client is the reader's decision. Throws as `body`
   * does.
   */
  stream(): AsyncIterable<Uint8Array>;
}

/** A request before its route is known. */
export interface ReceivedRequest extends Omit<HttpRequest, "body" | "stream" | "parameters"> {
  /** Reads the whole body, up to a bound. */
  body(limitBytes: number): Promise<Uint8Array>;
  /** Gives the body piece by piece, up to a bound. */
  stream(limitBytes: number): AsyncIterable<Uint8Array>;
}

/** The answer to one request. After `closed` aborts, every call is a no-op. */
export interface HttpResponder {
  /** Sends status and headers. Without a content length the body is chunked. Call once, before `write`. */
  begin(status: number, headers: Record<string, string>): void;
  /**
   * Sends bytes; false means that the client is behind: wait for `writable` before writing more. The bytes are copied.
   */
  write(bytes: Uint8Array): boolean;
  /** Resolves when the client has caught up, or when it is gone. */
  writable(): Promise<void>;
  /** Ends the answer; with `bytes` and no earlier `begin`-ed chunk, a content length is sent. */
  end(bytes?: Uint8Array): void;
  /** Breaks the connection off: the only honest end of a chunked body that cannot be completed. */
  abort(): void;
  readonly begun: boolean;
  /** Aborts when the client goes away before the end. */
  readonly closed: AbortSignal;
}

/** One accepted WebSocket. */
export interface SocketConnection {
  /** Sends a frame; false means that the client is behind: wait for `writable`. Never drops. */
  send(data: Uint8Array | string): boolean;
  writable(): Promise<void>;
  /** Bytes accepted by `send` that the client has not taken. */
  bufferedBytes(): number;
  close(code: number, reason: string): void;
  /** Aborts when the connection is gone, whoever ended it. */
  readonly closed: AbortSignal;
}

/** What a WebSocket route does with an accepted connection. Frames of one connection arrive in order. */
export interface SocketSession {
  message(data: Uint8Array, isBinary: boolean): void;
  /** The connection is gone. Called once; nothing more is received or sent. */
  end(): void;
  /** The server is stopping: finish what runs, then close with 1001. Without it the connection is closed at once. */
  drain?(): void;
}

export interface HttpRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with `:placeholders`, or ending in `/*`. */
  path: string;
  /** Scripts of every page may ask and read the answer, refusals too, whatever origins the operator allows. */
  isForEveryPage?: true;
  /** Largest body, one of `bodyLimits`; none is wanted when absent. */
  maxBodyBytes?: number;
  /**
   * May throw ServiceError at any time: before `begin` it becomes the error body, after it the connection is aborted.
   */
  handle(request: HttpRequest, responder: HttpResponder): Promise<void>;
}

/**
 * What all answers below a path have in common: another protocol's clients read headers and errors of that protocol.
 */
export interface AnswerShape {
  /** Path without a slash at the end; holds for itself and for all paths below. */
  prefix: string;
  /** Headers of every answer; those that a route sends win. */
  headers(request: ReceivedRequest): Record<string, string>;
  renderError(error: ServiceError): RenderedResponse;
}

export interface SocketRoute {
  path: string;
  /** The subprotocol to speak among those offered (RFC 6455 section 1.9); absent, the offer is echoed. */
  subprotocol?(offered: readonly string[]): string;
  /** Largest frame accepted, bytes; a larger one closes with 1009. */
  maxFrameBytes: number;
  /**
   * Runs before the upgrade; a thrown ServiceError answers it over HTTP. The result opens the session after the
   * upgrade.
   */
  upgrade(request: HttpRequest): Promise<(connection: SocketConnection) => SocketSession>;
}
