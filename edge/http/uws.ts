import "./header-limit.js";
import * as uws from "uWebSockets.js";
import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { joinTrace } from "#common/tracing/traceparent";
import type { ReadClientAddress } from "./client-address.js";
import { closeCodes } from "./close-codes.js";
import { Connection } from "./connection.js";
import { type AnchorEngine, type CorkAnchor, openCorkAnchor } from "./cork-anchor.js";
import type { HttpResponder, ReceivedRequest, SocketConnection, SocketRoute, SocketSession } from "./exchange.js";
import { checkMessage } from "./message-check.js";
import { Responder } from "./responder.js";
import { compilePath, matchPath, splitPath } from "#common/http/router";
import { TurnBudget } from "./turn-budget.js";
import { Upload } from "./upload.js";

/**
 * Frames past the route's limit are read this far, so that the client can be told 1009; the engine itself only breaks
 * off.
 */
const OVERSIZE_MARGIN_BYTES = 1024 * 1024;

/** How often silent connections are looked at. */
const LIFE_CHECK_MS = 1000;

/** The engine's own idle limit, seconds, a backstop behind `checkLife`; its largest. */
const ENGINE_IDLE_SECONDS = 960;

export interface ListenOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  clientAddress: ReadClientAddress;
  /** Answers every request that is no WebSocket upgrade to one of `sockets`. Never throws. */
  answer(request: ReceivedRequest, responder: HttpResponder): void;
  sockets: readonly SocketRoute[];
  /** Answers a request that is no proper message. */
  refuse(request: ReceivedRequest, responder: HttpResponder, error: ServiceError): void;
  /** Answers a refused upgrade to the route at `path`. */
  refuseUpgrade(request: ReceivedRequest, responder: HttpResponder, path: string, error: unknown): void;
  clock: Clock;
  log: Logger;
  /** A client that takes nothing for this long is disconnected. */
  stallMs: number;
  /** A WebSocket on which nothing arrives for this long is closed. */
  idleMs: number;
}

/** A listening server. */
export interface Listener {
  port: number;
  /** WebSockets that are open. */
  openSockets(): number;
  /** Asks every WebSocket session to finish; resolves when the last is gone. */
  drainSockets(): Promise<void>;
  /** Stops listening, closes every WebSocket that is left with 1001, and breaks off every other connection. */
  close(): void;
}

/**
 * Of answers without a body, one in so many ends its connection. The engine cannot tell whether such an answer was sent
 * or waits in memory, so a client that asks for ever and never reads would fill it; this way it is cut off long before
 * the kernel's buffers are full.
 */
const BODILESS_PER_CONNECTION = 16;

/** What the parts of one listener share. */
interface Shared {
  connections: Set<Connection>;
  purge(connection: Connection): void;
  anchor: CorkAnchor;
  turn: TurnBudget;
  closesBodiless(): boolean;
}

/** What one WebSocket carries through the engine. */
interface SocketData {
  open: (connection: SocketConnection) => SocketSession;
  maxFrameBytes: number;
  connection: Connection | null;
}

/** Opens the port. Throws `internal` with a message when it is taken. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const app = uws.App();
  const anchor = await openCorkAnchor(anchorEngine);
  const connections = new Set<Connection>();
  let onEmpty: (() => void) | null = null;
  let bodiless = 0;
  const shared: Shared = {
    connections,
    purge: (connection) => {
      connections.delete(connection);
      if (connections.size === 0) onEmpty?.();
    },
    anchor,
    turn: new TurnBudget(() => performance.now(), setImmediate),
    closesBodiless: () => ++bodiless % BODILESS_PER_CONNECTION === 0,
  };
  for (const route of options.sockets) {
    const behavior = socketBehavior(route, options, shared);
    app.ws(route.path, behavior);
    // For clients whose base address ends in a slash.
    app.ws(`/${route.path}`, behavior);
  }
  app.any("/*", (res, req) => {
    const { request, responder } = accept(res, req, options, shared);
    if (refuseMalformed(request, responder, options)) return;
    shared.turn.run(() => {
      if (!responder.closed.aborted) options.answer(request, responder);
    });
  });
  const port = await bind(app, options.host, options.port);
  const lifeCheck = setInterval(() => connections.forEach((connection) => connection.checkLife()), LIFE_CHECK_MS);
  return {
    port,
    openSockets: () => connections.size,
    drainSockets: () =>
      new Promise((resolve) => {
        onEmpty = resolve;
        for (const connection of [...connections]) connection.drain();
        if (connections.size === 0) resolve();
      }),
    close: () => {
      clearInterval(lifeCheck);
      anchor.close();
      for (const connection of [...connections]) connection.close(closeCodes.goingAway, "The server is shutting down");
      // Left out of the package's type declaration.
      (app as unknown as { close(): void }).close();
    },
  };
}

function bind(
  app: uws.TemplatedApp,
  host: string,
  port: number,
  onListen?: (socket: uws.us_listen_socket) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket !== false) onListen?.(socket);
      if (socket !== false) resolve(uws.us_socket_local_port(socket as unknown as uws.us_socket));
      else
        reject(
          new ServiceError("internal", { cause: new Error(`Cannot listen on ${host}:${port}; is the port in use?`) }),
        );
    });
  });
}

/** Refuses a request whose head is no proper one; true when it does. */
function refuseMalformed(request: ReceivedRequest, responder: Responder, options: ListenOptions): boolean {
  const detail = checkMessage(request.header);
  if (detail !== null)
    options.refuse(request, responder, new ServiceError("malformed_request", { parameters: { detail } }));
  return detail !== null;
}

/** For whoever still waits for a body. One for all: most requests end without anybody, and an error's stack takes 30 µs. */
const requestIsOver = new ServiceError("internal");

/** Copies what a request says before the engine's object expires, and starts collecting its body. */
function accept(
  res: uws.HttpResponse,
  req: uws.HttpRequest,
  options: ListenOptions,
  shared: Shared,
): { request: ReceivedRequest; responder: Responder } {
  const method = req.getCaseSensitiveMethod();
  const headers = copyHeaders(req);
  let isOver = false;
  const announced = headers.get("content-length");
  const upload = new Upload(
    announced === undefined ? null : Number(announced),
    { pause: () => void (isOver || res.pause()), resume: () => void (isOver || res.resume()) },
    options.clock,
  );
  const responder = new Responder({
    raw: res as unknown as ConstructorParameters<typeof Responder>[0]["raw"],
    method,
    clock: options.clock,
    stallMs: options.stallMs,
    closesBodiless: shared.closesBodiless,
    uncorked: (action) => shared.anchor.cork(action),
    beforeEnd: () => {
      upload.discard(requestIsOver);
      isOver = true;
    },
  });
  res.onAborted(() => {
    isOver = true;
    upload.discard(requestIsOver);
    responder.lost();
  });
  res.onData((chunk, isLast) => upload.receive(new Uint8Array(chunk), isLast));
  const request: ReceivedRequest = {
    method,
    path: req.getUrl(),
    query: req.getQuery() ?? "",
    header: (name) => headers.get(name),
    remoteAddress: options.clientAddress(
      Buffer.from(res.getRemoteAddressAsText()).toString(),
      headers.get("x-forwarded-for"),
    ),
    trace: joinTrace(headers.get("traceparent")),
    body: (limitBytes) => upload.read(limitBytes),
    stream: (limitBytes) => upload.stream(limitBytes),
  };
  return { request, responder };
}

function copyHeaders(req: uws.HttpRequest): Map<string, string> {
  const headers = new Map<string, string>();
  // RFC 9110 section 5.3: repeated fields are one list. A repeated credential then is no credential.
  req.forEach((name, value) => headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value));
  return headers;
}

function socketBehavior(route: SocketRoute, options: ListenOptions, shared: Shared): uws.WebSocketBehavior<SocketData> {
  const { connections, purge, turn } = shared;
  return {
    maxPayloadLength: route.maxFrameBytes + OVERSIZE_MARGIN_BYTES,
    // A backstop for what the engine sends by itself, answers to pings above all. `Connection` closes before: a frame
    // that is dropped would be a gap.
    maxBackpressure: 2 * limits.unsentBytes.most,
    closeOnBackpressureLimit: true,
    idleTimeout: ENGINE_IDLE_SECONDS,
    // The engine's pings give a peer 16 s to answer; a listener that reads at playing speed answers after the audio
    // queued before.
    sendPingsAutomatically: false,
    upgrade: (res, req, context) => upgrade({ res, req, context }, route, options, shared),
    open: (ws) => {
      const data = ws.getUserData();
      const { clock, stallMs, idleMs } = options;
      data.connection = new Connection({
        raw: rawSocket(ws),
        clock,
        stallMs,
        idleMs,
        maxFrameBytes: route.maxFrameBytes,
      });
      connections.add(data.connection);
      guarded(data, options.log, (connection) => connection.attach(data.open(connection)));
    },
    message: (ws, message, isBinary) => {
      const data = ws.getUserData();
      if (message.byteLength > data.maxFrameBytes) {
        data.connection?.close(closeCodes.tooBig, `Frames may have at most ${data.maxFrameBytes} bytes`);
        return;
      }
      const copy = new Uint8Array(message).slice();
      if (data.connection?.queueFrame(copy.byteLength) !== true) return;
      turn.run(() => guarded(data, options.log, (connection) => connection.receive(copy, isBinary)));
    },
    ping: (ws) => ws.getUserData().connection?.controlFrame(),
    pong: (ws) => ws.getUserData().connection?.controlFrame(),
    drain: (ws) => ws.getUserData().connection?.drained(),
    close: (ws) => {
      const { connection } = ws.getUserData();
      if (connection === null) return;
      purge(connection);
      connection.lost();
    },
  };
}

/** Runs the session's code; what it throws ends its own connection only. */
function guarded(data: SocketData, log: Logger, action: (connection: Connection) => void): void {
  if (data.connection === null) return;
  try {
    action(data.connection);
  } catch (error) {
    log.error({ err: error }, "a WebSocket session failed");
    data.connection.close(closeCodes.internal, "Internal error");
  }
}

function rawSocket(ws: uws.WebSocket<SocketData>): ConstructorParameters<typeof Connection>[0]["raw"] {
  return {
    send: (data, isBinary) => ws.send(data, isBinary),
    ping: () => ws.ping(),
    getBufferedAmount: () => ws.getBufferedAmount(),
    end: (code, reason) => ws.end(code, reason),
    close: () => ws.close(),
  };
}

/** The engine's loopback side of a `CorkAnchor`. */
const anchorEngine: AnchorEngine = {
  listen: async (onRequest) => {
    const app = uws.App().get("/", onRequest);
    let stop = (): void => undefined;
    const port = await bind(app, "127.0.0.1", 0, (socket) => {
      stop = () => uws.us_listen_socket_close(socket);
    });
    return { port, stop };
  },
};

function upgrade(
  { res, req, context }: { res: uws.HttpResponse; req: uws.HttpRequest; context: uws.us_socket_context_t },
  route: SocketRoute,
  options: ListenOptions,
  shared: Shared,
): void {
  const key = req.getHeader("sec-websocket-key");
  const protocol = req.getHeader("sec-websocket-protocol");
  const extensions = req.getHeader("sec-websocket-extensions");
  const { request, responder } = accept(res, req, options, shared);
  if (refuseMalformed(request, responder, options)) return;
  const parameters = matchPath(compilePath(route.path), splitPath(request.path)) ?? {};
  route.upgrade({ ...request, parameters, body: () => request.body(0), stream: () => request.stream(0) }).then(
    (open) => {
      if (responder.closed.aborted) return;
      responder.detach();
      const data: SocketData = { open, maxFrameBytes: route.maxFrameBytes, connection: null };
      const chosen = route.subprotocol?.(protocol.split(",").map((name) => name.trim())) ?? protocol;
      shared.anchor.cork(() => res.upgrade(data, key, chosen, extensions, context));
    },
    (error: unknown) => options.refuseUpgrade(request, responder, route.path, error),
  );
}
