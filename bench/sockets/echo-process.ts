import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

// A server that sends every frame back, and does nothing else, a process of its own.

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, clientTracking: false });
server.on("connection", (socket) => {
  socket.on("message", (data: Buffer) => socket.send(data));
});
await once(server, "listening");
process.send?.({ port: (server.address() as AddressInfo).port });
process.on("disconnect", () => process.exit(0));
