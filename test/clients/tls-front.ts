import { connect, type Socket } from "node:net";
import { createServer } from "node:tls";
import type { AddressInfo } from "node:net";
import { testCertificate, testCertificateKey } from "../outbound/certificate.js";

/** TLS in front of a cluster, as a balancer would be: some libraries open encrypted sockets only. */
export async function startTlsFront(
  baseUrl: string,
): Promise<{ baseUrl: string; certificate: string; stop(): Promise<void> }> {
  const { hostname, port } = new URL(baseUrl);
  const open = new Set<Socket>();
  const server = createServer({ cert: testCertificate, key: testCertificateKey }, (socket) => {
    const inner = connect(Number(port), hostname);
    socket.on("error", () => inner.destroy());
    inner.on("error", () => socket.destroy());
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      // A client that leaves without a word of TLS closes, but ends nothing.
      inner.end();
    });
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: tlsPort } = server.address() as AddressInfo;
  return {
    baseUrl: `https://127.0.0.1:${tlsPort}`,
    certificate: testCertificate,
    stop: () => {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      return stopped;
    },
  };
}
