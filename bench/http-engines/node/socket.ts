import type { WebSocket } from "ws";
import { closeCodes } from "#edge/http/close-codes";
import { Connection } from "#edge/http/connection";
import type { SocketConnection, SocketRoute, SocketSession } from "#edge/http/exchange";
import type { TurnBudget } from "#edge/http/turn-budget";
import type { ListenOptions } from "#edge/http/uws";

/** A WebSocket of `ws` after its handshake, and what it belongs to. */
interface Opened {
  webSocket: WebSocket;
  open: (connection: SocketConnection) => SocketSession;
  route: SocketRoute;
  options: ListenOptions;
  turn: TurnBudget;
  connections: Set<Connection>;
  purge(connection: Connection): void;
}

/** Hands a WebSocket to its session. */
export function openConnection({ webSocket, open, route, options, turn, connections, purge }: Opened): void {
  const { clock, stallMs, idleMs, log } = options;
  const sent = (): void => connection.drained();
  // Called for every close, and a second time when the client has answered one of ours.
  const over = (): void => {
    purge(connection);
    connection.lost();
  };
  const connection = new Connection({
    raw: {
      // `ws` sends typed arrays as binary frames and strings as text, and drops nothing.
      send: (data) => {
        webSocket.send(data, sent);
        return 1;
      },
      ping: () => {
        webSocket.ping();
        return 1;
      },
      getBufferedAmount: () => webSocket.bufferedAmount,
      end: (code, reason) => {
        webSocket.close(code, reason);
        over();
      },
      close: () => webSocket.terminate(),
    },
    ...{ clock, stallMs, idleMs, maxFrameBytes: route.maxFrameBytes },
  });
  connections.add(connection);
  const guarded = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      log.error({ err: error }, "a WebSocket session failed");
      connection.close(closeCodes.internal, "Internal error");
    }
  };
  webSocket.on("message", (data: Buffer, isBinary) => {
    if (connection.queueFrame(data.byteLength)) turn.run(() => guarded(() => connection.receive(data, isBinary)));
  });
  webSocket.on("ping", (data) => {
    webSocket.pong(data, false, sent);
    connection.controlFrame();
  });
  webSocket.on("pong", () => connection.controlFrame());
  // A frame that breaks the protocol: `ws` closes with the code for it.
  webSocket.on("error", (error) => log.debug({ err: error }, "a WebSocket failed"));
  webSocket.on("close", over);
  guarded(() => connection.attach(open(connection)));
}
