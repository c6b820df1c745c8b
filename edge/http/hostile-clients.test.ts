import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { WebSocket } from "ws";
import type { HttpRoute, SocketRoute, SocketSession } from "./exchange.js";
import { onCleanUp, openSocket, rawConnection, serve, until } from "./testing/test-server.js";

const page = Buffer.alloc(300_000, "a page that everybody gets");

/** A route that answers at once, and counts how often. */
function immediate(body: Buffer): { route: HttpRoute; answered: () => number } {
  let answered = 0;
  const route: HttpRoute = {
    method: "GET",
    path: "/page",
    async handle(_request, responder) {
      answered++;
      responder.begin(200, { "content-type": "text/plain" });
      responder.end(body);
    },
  };
  return { route, answered: () => answered };
}

/** A connection that sends and does not read; `readRest` reads what was sent to it until the server closes it. */
function deafConnection(port: number, sent: string): { readRest(): Promise<number> } {
  const socket = connect(port, "127.0.0.1");
  onCleanUp(() => socket.destroy());
  socket.on("error", () => undefined); // a reset is the end looked for
  socket.pause();
  socket.write(sent);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  return {
    async readRest() {
      let bytes = 0;
      socket.on("data", (piece: Buffer) => (bytes += piece.length));
      socket.resume();
      await closed;
      return bytes;
    },
  };
}

const residentMegabytes = (): number => process.memoryUsage().rss / 2 ** 20;
const get = "GET /page HTTP/1.1\r\nHost: a\r\n\r\n";

describe("a client that asks and never reads", () => {
  it("costs one unsent answer, however many requests it pipelines", async () => {
    const { route, answered } = immediate(page);
    const { port, url } = await serve([route]);
    const before = residentMegabytes();
    const clients = Array.from({ length: 4 }, () => deafConnection(port, get.repeat(13_000)));
    await until(() => answered() >= 1, "an answer");
    await Promise.all(clients.map((client) => client.readRest()));
    expect(answered()).toBeLessThan(300);
    expect(residentMegabytes() - before).toBeLessThan(100);
    expect((await (await fetch(`${url}/page`)).arrayBuffer()).byteLength).toBe(page.length);
  });

  it.each(["HEAD", "OPTIONS"])("is cut off when its answers have no body: %s", async (method) => {
    const { port } = await serve([immediate(page).route]);
    const request = `${method} /page HTTP/1.1\r\nHost: a\r\n\r\n`;
    expect(await deafConnection(port, request.repeat(1000)).readRest()).toBeLessThan(50_000);
    const raw = await rawConnection(port);
    const answers = (): number => raw.received().split("HTTP/1.1 ").length - 1;
    for (let asked = 1; asked <= 16 && !raw.socket.destroyed; asked++) {
      raw.socket.write(request);
      await until(() => answers() === asked || raw.socket.destroyed, "an answer, or the end");
    }
    expect(await raw.ended).toMatch(/connection: close/i);
  });

  it("gets the whole of a large answer when it reads at last", async () => {
    const large = Buffer.alloc(30_000_000);
    for (let at = 0; at < large.length; at++) large[at] = at % 251;
    const { route, answered } = immediate(large);
    const { port } = await serve([route]);
    const socket = connect(port, "127.0.0.1");
    onCleanUp(() => socket.destroy());
    socket.pause();
    socket.write(get);
    await until(() => answered() === 1, "the answer");
    const pieces: Buffer[] = [];
    let bytes = 0;
    socket.on("data", (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
    });
    socket.resume();
    await until(() => bytes > large.length, "all of it");
    const received = Buffer.concat(pieces);
    expect(received.subarray(received.indexOf("\r\n\r\n") + 4).equals(large)).toBe(true);
    socket.write(get);
    await until(() => bytes > 2 * large.length, "the next answer on the same connection");
  });

  it("may read only after it has sent its whole body", async () => {
    const refusing: HttpRoute = {
      method: "POST",
      path: "/page",
      maxBodyBytes: 30_000_000,
      async handle(_request, responder) {
        responder.begin(200, {});
        responder.end(page);
      },
    };
    const { port } = await serve([refusing]);
    const raw = await rawConnection(port);
    raw.socket.pause();
    const body = Buffer.alloc(20_000_000);
    raw.socket.write(`POST /page HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`);
    await new Promise((resolve) => raw.socket.write(body, resolve));
    raw.socket.resume();
    await until(() => raw.received().length > page.length, "the answer");
  });
});

describe("a head that two parsers could read in two ways", () => {
  it.each([
    ["two hosts", "Host: a\r\nHost: b\r\n"],
    ["an unknown transfer encoding", "Host: a\r\nTransfer-Encoding: xchunked\r\n"],
    ["two lengths", "Host: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n"],
  ])("is refused with 400 and the end of the connection: %s", async (_name, fields) => {
    const { route, answered } = immediate(page);
    const { port } = await serve([route]);
    const raw = await rawConnection(port, `GET /page HTTP/1.1\r\n${fields}\r\n0\r\n\r\n${get}`);
    expect(await raw.ended).toMatch(/^$|^HTTP\/1.1 400 /);
    expect(answered()).toBe(0);
    const alone = await rawConnection(
      port,
      `GET /page HTTP/1.1\r\n${fields}\r\n`,
      fields.includes("Encoding") ? "0\r\n\r\n" : "",
    );
    expect(await alone.ended).toMatch(/^HTTP\/1.1 400 /);
  });
});

describe("a WebSocket client that never reads", () => {
  const route = (session: Partial<SocketSession>): SocketRoute => ({
    path: "/live",
    maxFrameBytes: 1000,
    upgrade: async () => () => ({ message: () => undefined, end: () => undefined, ...session }),
  });
  const closeCode = async (socket: WebSocket): Promise<number> => ((await once(socket, "close")) as [number])[0];

  it("is closed with 1008 when it floods pings", async () => {
    const { port, listener } = await serve([], [route({})]);
    const socket = await openSocket(`ws://127.0.0.1:${port}/live`);
    const code = closeCode(socket);
    const before = residentMegabytes();
    for (let pings = 0; pings < 100_000 && socket.readyState === socket.OPEN; pings++) socket.ping(Buffer.alloc(125));
    expect(await code).toBe(1008);
    expect(residentMegabytes() - before).toBeLessThan(100);
    await until(() => listener.openSockets() === 0, "closed");
  });

  it("may ping now and then, for ever", async () => {
    const { port } = await serve([], [route({})]);
    const socket = await openSocket(`ws://127.0.0.1:${port}/live`);
    for (let pings = 0; pings < 50; pings++) socket.ping();
    await once(socket, "pong");
    expect(socket.readyState).toBe(socket.OPEN);
  });

  it("is closed with 1013 when its own frames make answers that it does not take", async () => {
    let isOver = false;
    const echo: SocketRoute = {
      path: "/live",
      maxFrameBytes: 1000,
      upgrade: async () => (connection) => ({
        message: () => void connection.send(Buffer.alloc(100_000)),
        end: () => {
          isOver = true;
        },
      }),
    };
    const { port } = await serve([], [echo]);
    const socket = await openSocket(`ws://127.0.0.1:${port}/live`);
    const code = closeCode(socket);
    const before = residentMegabytes();
    socket.pause();
    for (let frames = 0; frames < 1000; frames++) socket.send("x");
    await until(() => socket.bufferedAmount === 0, "all frames sent");
    socket.resume();
    expect(await code).toBe(1013);
    expect(isOver).toBe(true);
    expect(residentMegabytes() - before).toBeLessThan(100);
  });
});
