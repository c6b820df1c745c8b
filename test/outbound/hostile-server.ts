import { createServer, type Server, type Socket } from "node:net";

/**
 * A TCP server of our own that answers each connection with whatever bytes the script writes, once the request's head
 * has come.
 */
export interface HostileServer {
  port: number;
  /** Heads of the requests so far, as text. */
  heads: string[];
  close(): Promise<void>;
}

export async function startHostileServer(script: (socket: Socket, head: string) => void): Promise<HostileServer> {
  const heads: string[] = [];
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    // The client hangs up in the middle of most of these answers.
    socket.on("error", () => socket.destroy());
    let received = "";
    socket.on("data", (chunk) => {
      const before = received.includes("\r\n\r\n");
      received += chunk.toString("latin1");
      if (before || !received.includes("\r\n\r\n")) return;
      heads.push(received);
      script(socket, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    heads,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Writes one chunk again and again, as fast as the reader takes it, until it hangs up. */
export function flood(socket: Socket, chunk: Buffer): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk));
    if (!socket.destroyed) socket.once("drain", write);
  };
  write();
}
