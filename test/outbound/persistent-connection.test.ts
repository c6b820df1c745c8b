import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "#common/log";
import type { PersistentConnection } from "#common/outbound/persistent-connection";
import { createOutbound } from "#common/outbound/outbound";
import type { OutboundStreamRequest } from "#common/outbound/stream";
import { startDnsServer } from "./dns-server.js";

const log = createLogger("test", "fatal");
const PUBLIC = "93.184.216.34";

/** The server's ends of the connections, in order, and what came over each. */
let sockets: { socket: Socket; heads: string[] }[];
/** What the server does with a request. */
let behaviour: (socket: Socket, count: number) => void;
let server: Server;
let persistent: PersistentConnection;

const ok = (socket: Socket): void => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");

beforeEach(async () => {
  sockets = [];
  behaviour = ok;
  server = createServer((socket) => {
    const connection = { socket, heads: [] as string[] };
    sockets.push(connection);
    socket.on("error", () => socket.destroy());
    let pending = "";
    socket.on("data", (data) => {
      pending += data.toString("latin1");
      for (let end = pending.indexOf("\r\n\r\n"); end >= 0; end = pending.indexOf("\r\n\r\n")) {
        connection.heads.push(pending.slice(0, end));
        pending = pending.slice(end + 4);
        behaviour(socket, connection.heads.length);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  persistent = createOutbound({ allow: [`127.0.0.1:${port()}`], log }).keep(`${base()}/v1`);
});
afterEach(() => {
  persistent.close();
  for (const { socket } of sockets) socket.destroy();
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;
const base = (): string => `http://127.0.0.1:${port()}`;
const ask = async (change: Partial<OutboundStreamRequest> = {}): Promise<string> => {
  const request: OutboundStreamRequest = {
    method: "GET",
    url: `${base()}/v1/x`,
    timeoutMs: 5000,
    maxResponseBytes: 1000,
  };
  const { body } = await persistent.stream({ ...request, ...change });
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
};
const connected = (count: number): Promise<void> => expect.poll(() => sockets.length).toBe(count);
const requests = (): number[] => sockets.map(({ heads }) => heads.length);

describe("a persistent connection", () => {
  it("stands before the first request, serves all, and ends when it is closed", async () => {
    persistent.warm();
    await connected(1);
    persistent.warm();
    expect([await ask(), await ask(), await ask()]).toEqual(["hi", "hi", "hi"]);
    expect(requests()).toEqual([3]);
    const gone = once(sockets[0]?.socket as Socket, "close");
    persistent.close();
    await gone;
  });

  it("is opened by the first request where nobody has done so", async () => {
    expect([await ask(), await ask()]).toEqual(["hi", "hi"]);
    expect(requests()).toEqual([2]);
  });

  it("is another one for a second request at the same time, and for another origin", async () => {
    behaviour = (socket, count) => void (count > 0 && socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nh"));
    const first = await persistent.stream({
      method: "GET",
      url: `${base()}/v1/x`,
      timeoutMs: 5000,
      maxResponseBytes: 100,
    });
    behaviour = ok;
    expect(await ask()).toBe("hi");
    expect(requests()).toEqual([1, 1]);
    first.close();
    await expect(ask({ url: "http://10.0.0.1/v1/x" })).rejects.toMatchObject({ reason: "private_address" });
  });

  it("is opened ahead again after a server has ended it, however it does so", async () => {
    persistent.warm();
    await connected(1);
    sockets[0]?.socket.end();
    await once(sockets[0]?.socket as Socket, "close");
    persistent.warm();
    await connected(2);
    sockets[1]?.socket.write("HTTP/1.1 408 Request Timeout\r\n\r\n");
    await once(sockets[1]?.socket as Socket, "close");
    expect(await ask()).toBe("hi");
    expect(requests()).toEqual([0, 0, 1]);
  });

  it("that ends in the moment of a request costs no request", async () => {
    behaviour = (socket, count) => (count === 1 ? ok(socket) : socket.destroy());
    expect(await ask()).toBe("hi");
    expect(await ask()).toBe("hi");
    expect(requests()).toEqual([2, 1]);
  });

  it("fails where a new one breaks too, and where an answer breaks off, which is never asked for twice", async () => {
    behaviour = (socket) => void socket.destroy();
    await expect(ask()).rejects.toMatchObject({ reason: "connection_lost" });
    expect(requests()).toEqual([1]);
    behaviour = (socket, count) =>
      count === 1 ? ok(socket) : void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbroken");
    await ask();
    await expect(ask()).rejects.toMatchObject({ reason: "connection_lost" });
    expect(requests()).toEqual([1, 2]);
  });

  it("ends with a request that is given up, or takes too long, or brings too much, and the next one gets another", async () => {
    behaviour = () => undefined;
    const controller = new AbortController();
    const given = ask({ signal: controller.signal });
    await expect.poll(() => sockets[0]?.heads.length).toBe(1);
    controller.abort();
    await expect(given).rejects.toMatchObject({ reason: "cancelled" });
    await expect(ask({ timeoutMs: 50 })).rejects.toMatchObject({ reason: "timeout" });
    behaviour = (socket) => void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n${"x".repeat(2000)}`);
    await expect(ask()).rejects.toMatchObject({ reason: "response_too_large" });
    behaviour = ok;
    expect(await ask()).toBe("hi");
    await expect.poll(() => sockets.filter(({ socket }) => !socket.destroyed).length).toBe(1);
  });

  it("counts what each request brings, not what the connection did", async () => {
    behaviour = (socket) =>
      void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n${"x".repeat(100_000)}`);
    for (let count = 0; count < 12; count++) expect(await ask({ maxResponseBytes: 200_000 })).toHaveLength(100_000);
    expect(requests()).toEqual([12]);
  });

  it("judges where each connection leads: one whose name has moved is refused", async () => {
    const dns = await startDnsServer((_name, family, asked) =>
      family === 4 ? { addresses: [asked === 0 ? PUBLIC : "127.0.0.1"] } : { addresses: [] },
    );
    const rebinding = createOutbound({
      ...{ allow: [], log, dnsServers: [dns.address] },
      dial: async (address) => {
        const socket = connect(port(), "127.0.0.1");
        await once(socket, "connect");
        return Object.defineProperty(socket, "remoteAddress", { value: address });
      },
    }).keep("http://rebind.hooks.dev");
    const request = {
      method: "GET",
      url: "http://rebind.hooks.dev/x",
      timeoutMs: 5000,
      maxResponseBytes: 100,
    } as const;
    const answered = await rebinding.stream(request);
    for await (const part of answered.body) expect(Buffer.from(part).toString()).toBe("hi");
    sockets[0]?.socket.destroy();
    await once(sockets[0]?.socket as Socket, "close");
    await expect
      .poll(() =>
        rebinding.stream(request).then(
          () => "sent",
          ({ reason }: { reason: string }) => reason,
        ),
      )
      .toBe("private_address");
    expect(requests()).toEqual([1]);
    rebinding.close();
    await dns.close();
  });
});
