import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ServiceError } from "#protocol/errors";
import type { HttpRoute, SocketConnection, SocketRoute, SocketSession } from "#edge/http/exchange";
import { later, onCleanUp, openSocket, rawConnection, serve, until } from "#edge/http/testing/test-server";
import { listen as listenOnUws } from "#edge/http/uws";
import { listen as listenOnNode } from "./listen.js";

const echo: HttpRoute = {
  method: "POST",
  path: "/echo/:name",
  maxBodyBytes: 1_000_000,
  async handle(request, responder) {
    await later();
    const pieces: Uint8Array[] = [];
    if (request.query === "stream") for await (const piece of request.stream()) pieces.push(piece);
    else pieces.push(await request.body());
    responder.begin(200, { "content-type": "text/plain", "x-name": request.parameters["name"] ?? "" });
    responder.end(Buffer.concat(pieces));
  },
};

const live = (session: (connection: SocketConnection) => SocketSession): SocketRoute => ({
  path: "/live",
  maxFrameBytes: 1000,
  upgrade: async (request) => {
    await later();
    if (request.header("authorization") === undefined) throw new ServiceError("unauthenticated");
    return session;
  },
});
const authorized = { headers: { authorization: "Bearer x" } };

// What is compared must do the same: both engines behind the same interface.
describe.each([
  ["uWebSockets.js", listenOnUws],
  ["node:http and ws", listenOnNode],
])("%s", (_name, listen) => {
  it("takes bodies whole and piece by piece, and says why it takes none", async () => {
    const { url, records } = await serve([echo], [], { listen });
    const large = Buffer.alloc(900_000, "speech");
    for (const query of ["", "?stream"]) {
      const answer = await fetch(`${url}/echo/a%20b${query}`, { method: "POST", body: large });
      expect([answer.status, answer.headers.get("x-name"), answer.headers.get("content-length")]).toEqual([
        ...[200, "a b", String(large.length)],
      ]);
      expect(Buffer.from(await answer.arrayBuffer()).equals(large)).toBe(true);
    }
    expect((await fetch(`${url}/echo/x`, { method: "POST", body: Buffer.alloc(1_000_001) })).status).toBe(413);
    expect((await fetch(`${url}/echo/x`)).status).toBe(405);
    expect(records.map(({ route, status }) => [route, status])).toEqual([
      ...[200, 200, 413].map((status) => ["/echo/:name", status]),
      ["unmatched", 405],
    ]);
  });

  it("stays in step on a connection after a refused body", async () => {
    const { port } = await serve([echo], [], { listen });
    const raw = await rawConnection(port, "POST /echo/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (let sent = 0; sent < 1_100_000; sent += 100_000)
      raw.socket.write(`${(100_000).toString(16)}\r\n${"x".repeat(100_000)}\r\n`);
    await until(() => raw.received().includes('"status":413'), "413 in the middle");
    raw.socket.write("0\r\n\r\nPOST /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nagain");
    await until(() => raw.received().endsWith("again"), "the next answer");
  });

  it("holds a slow reader's writer back, loses no byte, and breaks off one that takes nothing", async () => {
    const total = 24 * 1024 * 1024;
    const [waits, ends]: [string[], string[]] = [[], []];
    const stream: HttpRoute = {
      method: "GET",
      path: "/stream/:reader",
      async handle(request, responder) {
        const reader = request.parameters["reader"] ?? "";
        responder.begin(200, { "content-type": "audio/pcm" });
        const piece = Buffer.alloc(8192);
        for (let sent = 0; sent < total && !responder.closed.aborted; sent += piece.length) {
          // The bytes are copied: one buffer does.
          if (responder.write(piece.fill((sent / piece.length) % 251))) continue;
          waits.push(reader);
          await responder.writable();
        }
        ends.push(`${reader} ${responder.closed.aborted}`);
        responder.end();
      },
    };
    const { port, url } = await serve([stream], [], { listen, stallMs: 500 });
    const stuck = connect(port, "127.0.0.1");
    onCleanUp(() => stuck.destroy());
    stuck.on("error", () => undefined); // the reset looked for
    stuck.pause();
    stuck.write("GET /stream/stuck HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => waits.includes("stuck"), "its writer waits");
    const body = Buffer.from(await (await fetch(`${url}/stream/reading`)).arrayBuffer());
    expect(body.length).toBe(total);
    expect(body.findIndex((value, index) => value !== Math.floor(index / 8192) % 251)).toBe(-1);
    expect(ends).toContain("reading false");
    await until(() => ends.includes("stuck true"), "disconnected");
  });

  it("carries text and binary frames both ways", async () => {
    const echoing = (connection: SocketConnection): SocketSession => ({
      message: (data, isBinary) => void connection.send(isBinary ? data : Buffer.from(data).toString()),
      end: () => undefined,
    });
    const { port, listener } = await serve([], [live(echoing)], { listen });
    const socket = await openSocket(`ws://127.0.0.1:${port}/live`, authorized);
    socket.send(Buffer.from([1, 2, 3]));
    expect((await once(socket, "message")) as unknown).toEqual([Buffer.from([1, 2, 3]), true]);
    socket.send("text");
    expect((await once(socket, "message")) as unknown).toEqual([Buffer.from("text"), false]);
    expect(listener.openSockets()).toBe(1);
    socket.terminate();
    await until(() => listener.openSockets() === 0, "closed");
  });

  it("refuses an upgrade over HTTP", async () => {
    const { port } = await serve([], [live(() => ({ message: () => undefined, end: () => undefined }))], { listen });
    const refusal = async (path: string): Promise<number> => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, path === "/live" ? {} : authorized);
      const [, answer] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }];
      return answer.statusCode;
    };
    expect([await refusal("/live"), await refusal("/elsewhere")]).toEqual([401, 404]);
  });

  it("closes with the code that fits, after the last frame that a slow reader takes", async () => {
    const closing = async (first: string | Buffer): Promise<[number, number]> => {
      const { port } = await serve([], [live(session)], { listen });
      const socket = await openSocket(`ws://127.0.0.1:${port}/live`, authorized);
      let frames = 0;
      socket.on("message", () => frames++);
      socket.send(first);
      if (first === "flood") {
        socket.pause();
        await until(() => isFlooded, "the sender waits");
        socket.resume();
      }
      return [((await once(socket, "close")) as [number])[0], frames];
    };
    let isFlooded = false;
    const session = (connection: SocketConnection): SocketSession => ({
      message: (data) => {
        const word = Buffer.from(data).toString();
        if (word === "fail") throw new Error("broken");
        for (let sent = 0; sent < 100_000 && !isFlooded; sent++) isFlooded = !connection.send(Buffer.alloc(8000));
        connection.close(1000, "done");
      },
      end: () => undefined,
    });
    expect(await closing(Buffer.alloc(1001))).toEqual([1009, 0]);
    expect(await closing("fail")).toEqual([1011, 0]);
    const [code, frames] = await closing("flood");
    expect(code).toBe(1000);
    expect(frames).toBeGreaterThan(5);
  });
});
