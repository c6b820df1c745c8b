import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";

// Stands where a role stands on the way of a first chunk, and only passes on what comes.

/** Which role's place the process has. */
export type HopPlace = "edge" | "scheduler" | "worker";

/** As large as the first frame of a stream, bytes. */
const FRAME_BYTES = 2048;

const [place, url] = process.argv.slice(2) as [HopPlace, string];
const bus = await connectNats({ url, name: `hop-${place}`, log: createLogger("bench", "silent") });
const subject = (of: HopPlace): string => `bench.hops.${of}`;
let port = 0;
if (place === "scheduler")
  bus.subscribe<Uint8Array>(subject("scheduler"), (message) => bus.publish(subject("worker"), message));
if (place === "worker") {
  const frame = new Uint8Array(FRAME_BYTES);
  bus.subscribe(subject("worker"), () => bus.publish(subject("edge"), frame));
}
if (place === "edge") {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (socket) => {
    bus.subscribe<Uint8Array>(subject("edge"), (frame) => socket.send(frame));
    socket.on("message", (text: Buffer) => bus.publish(subject("scheduler"), new Uint8Array(text)));
  });
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
}
process.send?.({ port });
process.on("disconnect", () => process.exit(0));
