import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import { Router } from "#common/http/router";
import { joinTrace } from "#common/tracing/traceparent";
import { closeCodes } from "#edge/http/close-codes";
import type { Connection } from "#edge/http/connection";
import type { ReceivedRequest, SocketRoute } from "#edge/http/exchange";
import { checkMessage } from "#edge/http/message-check";
import { TurnBudget } from "#edge/http/turn-budget";
import type { Listener, ListenOptions } from "#edge/http/uws";
import { readBody, streamBody } from "./body.js";
import { NodeResponder } from "./responder.js";
import { openConnection } from "./socket.js";

/** As long as uWebSockets.js keeps a connection without requests. */
const KEEP_ALIVE_MS = 10_000;

/** How often silent connections are looked at. */
const LIFE_CHECK_MS = 1000;

/** What answers at a path where a WebSocket does. */
interface SocketEndpoint {
  method: "GET";
  path: string;
  route: SocketRoute;
  handshakes: WebSocketServer;
}

/**
 * Opens the port on `node:http` and `ws`, behind the interface of `edge/http/uws.ts`. Throws `internal` with a message
 * when it is taken.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const connections = new Set<Connection>();
  let onEmpty: (() => void) | null = null;
  const purge = (connection: Connection): void => {
    connections.delete(connection);
    if (connections.size === 0) onEmpty?.();
  };
  const turn = new TurnBudget(() => performance.now(), setImmediate);
  const answer: RequestListener = (incoming, outgoing) => {
    const { request, responder } = accept(incoming, outgoing, options);
    if (refuseMalformed(request, responder, options)) return;
    turn.run(() => {
      if (!responder.closed.aborted) options.answer(request, responder);
    });
  };
  const server = createServer(
    {
      maxHeaderSize: limits.headBytes.most,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
      // RFC 9110 section 5.3: repeated fields are one list. A repeated credential then is no credential.
      joinDuplicateHeaders: true,
    },
    answer,
  );
  const endpoints = new Router(options.sockets.map(socketEndpoint));
  server.on("upgrade", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    // From here on `node:http` listens to the socket no more.
    socket.on("error", () => socket.destroy());
    const match = endpoints.match("GET", pathOf(incoming));
    const isSocket = incoming.headers.upgrade?.toLowerCase() === "websocket";
    if (match.type !== "route" || !isSocket) return answer(incoming, responseOn(socket, incoming));
    const { route, handshakes } = match.route;
    const outgoing = responseOn(socket, incoming);
    const { request, responder } = accept(incoming, outgoing, options);
    if (refuseMalformed(request, responder, options)) return;
    const empty = { body: () => request.body(0), stream: () => request.stream(0) };
    route.upgrade({ ...request, parameters: match.parameters, ...empty }).then(
      (open) => {
        if (responder.closed.aborted) return;
        responder.detach();
        outgoing.detachSocket(socket);
        handshakes.handleUpgrade(incoming, socket, head, (webSocket) => {
          openConnection({ webSocket, open, route, options, turn, connections, purge });
        });
      },
      (error: unknown) => options.refuseUpgrade(request, responder, route.path, error),
    );
  });
  const port = await bind(server, options.host, options.port);
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
      server.close();
      for (const connection of [...connections]) connection.close(closeCodes.goingAway, "The server is shutting down");
      server.closeAllConnections();
    },
  };
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new ServiceError("internal", {
          cause: new Error(`Cannot listen on ${host}:${port}; is the port in use?`, { cause }),
        }),
      ),
    );
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function socketEndpoint(route: SocketRoute): SocketEndpoint {
  const handshakes = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // `Connection` counts pongs that are not taken.
    autoPong: false,
    maxPayload: route.maxFrameBytes,
    handleProtocols: (offered) => route.subprotocol?.([...offered]) ?? offered.values().next().value ?? false,
  });
  return { method: "GET", path: route.path, route, handshakes };
}

/**
 * An answer on a connection that asks for another protocol, for which `node:http` makes none; the connection ends with
 * it. What such a request has for a body is not read: `node:http` stops at the offer.
 */
function responseOn(socket: Duplex, incoming: IncomingMessage): ServerResponse {
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = false;
  outgoing.assignSocket(socket as Socket);
  outgoing.on("finish", () => socket.end());
  return outgoing;
}

/** Refuses a request whose head is no proper one; true when it does. */
function refuseMalformed(request: ReceivedRequest, responder: NodeResponder, options: ListenOptions): boolean {
  const detail = checkMessage(request.header);
  if (detail !== null)
    options.refuse(request, responder, new ServiceError("malformed_request", { parameters: { detail } }));
  return detail !== null;
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}

function accept(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: ListenOptions,
): { request: ReceivedRequest; responder: NodeResponder } {
  const { headers, socket, method = "GET", url = "/" } = incoming;
  const path = pathOf(incoming);
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  const request: ReceivedRequest = {
    method,
    path,
    query: url.slice(path.length + 1),
    header,
    remoteAddress: options.clientAddress(socket.remoteAddress ?? "", header("x-forwarded-for")),
    trace: joinTrace(header("traceparent")),
    body: (limitBytes) => readBody(incoming, limitBytes),
    stream: (limitBytes) => streamBody(incoming, limitBytes),
  };
  return { request, responder: new NodeResponder(outgoing, options.stallMs) };
}
