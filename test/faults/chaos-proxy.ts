import { createServer, type AddressInfo, connect, type Server, type Socket } from "node:net";
import { type Chaos, ChaosLane } from "./chaos-lane.js";

/** A TCP proxy on loopback, in front of one server, whose faults are switched while it runs. */
export interface ChaosProxy {
  port: number;
  /** The address of a server, with the proxy's port in place of the server's own. */
  urlOf(url: string): string;
  /** From now on, for connections that are open too. Resolves when it holds. */
  set(chaos: Chaos): Promise<void>;
  /** Resets every connection. */
  resetAll(): void;
  connections(): number;
  /** In both directions, since the start. */
  passedBytes(): number;
  stop(): Promise<void>;
}

interface Connection {
  client: Socket;
  server: Socket;
  lanes: readonly [ChaosLane, ChaosLane];
  /** Since the proxy was last switched. */
  passedBytes: number;
}

/** Starts a proxy in front of a loopback port. */
export async function startChaosProxy(targetPort: number): Promise<ChaosProxy> {
  const open = new Set<Connection>();
  let chaos: Chaos = { type: "pass" };
  let passedBytes = 0;

  const reset = (connection: Connection): void => {
    open.delete(connection);
    for (const lane of connection.lanes) lane.close();
    abort(connection.client);
    abort(connection.server);
  };
  const accept = (client: Socket): void => {
    const server = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true });
    const mayPass = (bytes: number): boolean => {
      if (chaos.type === "reset-after" && connection.passedBytes + bytes > chaos.bytes) {
        reset(connection);
        return false;
      }
      passedBytes += bytes;
      connection.passedBytes += bytes;
      return true;
    };
    const lanes = [
      new ChaosLane(client, server, "to-server", { chaos: () => chaos, mayPass }),
      new ChaosLane(server, client, "to-client", { chaos: () => chaos, mayPass }),
    ] as const;
    const connection: Connection = { client, server, lanes, passedBytes: 0 };
    open.add(connection);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      // Half of a connection is of no use: what broke one side breaks the other.
      socket.on("error", () => reset(connection));
      socket.on("close", () => {
        if (client.destroyed && server.destroyed) open.delete(connection);
      });
    }
  };
  const listener = createServer({ allowHalfOpen: true }, accept);
  await listen(listener, 0);
  const { port } = listener.address() as AddressInfo;

  return {
    port,
    urlOf(url) {
      const changed = new URL(url);
      changed.port = String(port);
      return changed.href;
    },
    async set(next) {
      chaos = next;
      for (const connection of open) {
        connection.passedBytes = 0;
        for (const lane of connection.lanes) lane.switched();
      }
      if (next.type === "refuse" && listener.listening) listener.close();
      else if (next.type !== "refuse" && !listener.listening) await listen(listener, port);
    },
    resetAll: () => [...open].forEach(reset),
    connections: () => open.size,
    passedBytes: () => passedBytes,
    async stop() {
      const closed = listener.listening ? new Promise<void>((resolve) => listener.close(() => resolve())) : null;
      for (const connection of [...open]) reset(connection);
      await closed;
    },
  };
}

/**
 * Sends a RST and nothing before it. Node's own `resetAndDestroy` ends the stream first: the other side reads an orderly
 * end, and does not look for anything behind it.
 */
function abort(socket: Socket): void {
  Object.assign(socket, { resetAndClosing: true }).destroy();
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
