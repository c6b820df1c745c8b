import { connect, type Socket } from "node:net";

/** The part of the engine's response object that is used here. */
interface AnchorResponse {
  cork(action: () => void): unknown;
  onAborted(handler: () => void): unknown;
}

/** The engine, narrowed to what an anchor needs: it hands out the first request on a loopback port of its own. */
export interface AnchorEngine {
  /** Listens on a free loopback port; gives it, and how to stop listening. */
  listen(onRequest: (response: AnchorResponse) => void): Promise<{ port: number; stop: () => void }>;
}

/** Runs actions while a response that is never answered is corked. */
export interface CorkAnchor {
  cork(action: () => void): void;
  close(): void;
}

/**
 * Opens one connection of the process to itself, whose only use is to be corked around WebSocket upgrades and last
 * answers.
 *
 * An upgrade after an `await` must happen inside a cork. Inside its own one it is not safe: when the engine enlarges
 * the connection's memory without moving it, `HttpResponse::cork` takes the new WebSocket for the response that it was,
 * reads a "connection: close" out of the wrong bytes, and cuts the client off (seen as code 1006 on the first socket of
 * one process in ten). Corking another response keeps it off. An answer that ends its connection needs the same:
 * corked, it leaves the connection open.
 */
export async function openCorkAnchor(engine: AnchorEngine): Promise<CorkAnchor> {
  let accept: (response: AnchorResponse) => void = () => undefined;
  const accepted = new Promise<AnchorResponse>((resolve) => {
    accept = resolve;
  });
  const { port, stop } = await engine.listen(accept);
  const socket = await dial(port);
  const response = await accepted;
  stop();
  let isLost = false;
  response.onAborted(() => {
    isLost = true;
  });
  return {
    cork: (action) => {
      // Nobody but us holds the other end. Should it be lost all the same, an upgrade without a cork works, with a
      // warning of the engine's.
      if (isLost) action();
      else response.cork(action);
    },
    close: () => socket.destroy(),
  };
}

function dial(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write("GET / HTTP/1.1\r\nHost: anchor\r\n\r\n");
      socket.off("error", reject);
      socket.on("error", () => socket.destroy());
      socket.unref();
      resolve(socket);
    });
    socket.once("error", reject);
  });
}
