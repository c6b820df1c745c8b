import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ServiceError } from "#protocol/errors";
import type { HttpRoute, SocketConnection, SocketRoute, SocketSession } from "./exchange.js";
import { later, onCleanUp, openSocket, rawConnection, serve, until } from "./testing/test-server.js";

const text = (value: string): Uint8Array => Buffer.from(value);

const echo: HttpRoute = {
  method: "POST",
  path: "/echo",
  maxBodyBytes: 1_000_000,
  async handle(request, responder) {
    await later();
    const body = await request.body();
    responder.begin(200, { "content-type": "application/octet-stream" });
    responder.end(body);
  },
};

const hello: HttpRoute = {
  method: "GET",
  path: "/hello/:name",
  async handle(request, responder) {
    await later();
    responder.begin(200, { "content-type": "text/plain" });
    responder.end(text(`hello ${request.parameters["name"]} ${request.query}`));
  },
};

const BIG_BYTES = 20_000_000;

const big: HttpRoute = {
  method: "GET",
  path: "/big",
  handle: async (_request, responder) => {
    responder.begin(200, { "content-type": "application/octet-stream" });
    responder.end(new Uint8Array(BIG_BYTES));
  },
};

describe("HTTP", () => {
  it("answers routes, and names what is missing", async () => {
    const { url, records } = await serve([echo, hello]);
    expect(await (await fetch(`${url}/hello/a%20b?x=1`)).text()).toBe("hello a b x=1");
    const missing = await fetch(`${url}/nowhere`);
    expect([missing.status, await missing.json()]).toEqual([404, { status: 404, message: "Not found" }]);
    const wrong = await fetch(`${url}/echo`);
    expect([wrong.status, wrong.headers.get("allow"), await wrong.json()]).toEqual([
      405,
      "OPTIONS, POST",
      { status: 405, message: "Method not allowed" },
    ]);
    expect(records.map(({ route, status }) => [route, status])).toEqual([
      ["/hello/:name", 200],
      ["unmatched", 404],
      ["unmatched", 405],
    ]);
  });

  it("answers HEAD with the length and no body, and keeps the connection", async () => {
    const { port } = await serve([hello]);
    const raw = await rawConnection(port, "HEAD /hello/x HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => raw.received().endsWith("\r\n\r\n"), "head of the first answer");
    expect(raw.received()).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*content-length: 8\r\n/i);
    raw.socket.write("GET /hello/y HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => raw.received().endsWith("hello y "), "second answer");
  });

  it("answers preflights, and lets the allowed page read errors too", async () => {
    const { url } = await serve([echo]);
    const origin = "https://app.example";
    const preflight = await fetch(`${url}/echo`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,model",
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "OPTIONS, POST",
      "access-control-allow-headers": "authorization,model",
    });
    const error = await fetch(`${url}/nowhere`, { headers: { origin } });
    expect(error.headers.get("access-control-allow-origin")).toBe(origin);
    const stranger = await fetch(`${url}/nowhere`, { headers: { origin: "https://evil.example" } });
    expect(stranger.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("turns a thrown value into an error before the head, and into a broken connection after it", async () => {
    const { url, records } = await serve([
      {
        method: "GET",
        path: "/known",
        handle: () => Promise.reject(new ServiceError("overloaded", { retryAfterMs: 1200 })),
      },
      { method: "GET", path: "/unknown", handle: () => Promise.reject(new Error("secret detail")) },
      {
        method: "GET",
        path: "/midway",
        async handle(_request, responder) {
          responder.begin(200, {});
          responder.write(text("first part"));
          await later();
          throw new Error("broken");
        },
      },
    ]);
    const known = await fetch(`${url}/known`);
    expect([known.status, known.headers.get("retry-after")]).toEqual([503, "2"]);
    const unknown = await fetch(`${url}/unknown`);
    expect(await unknown.json()).toEqual({ status: 500, message: "Internal error" });
    const midway = await fetch(`${url}/midway`);
    expect(midway.status).toBe(200);
    await expect(midway.text()).rejects.toThrow();
    expect(records.map(({ status }) => status)).toEqual([503, 500, 200]);
  });

  it("takes bodies of any size in any number of pieces", async () => {
    const { url, port } = await serve([echo]);
    const large = Buffer.alloc(900_000, "speech");
    expect(
      Buffer.from(await (await fetch(`${url}/echo`, { method: "POST", body: large })).arrayBuffer()).equals(large),
    ).toBe(true);
    expect(await (await fetch(`${url}/echo`, { method: "POST" })).text()).toBe("");
    const raw = await rawConnection(
      port,
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    );
    raw.socket.write("2\r\nde\r\n0\r\n\r\n");
    await until(() => raw.received().endsWith("abcde"), "echo of the chunked body");
  });

  it("refuses an announced body at once, an unannounced one at the limit, and stays in step on the connection", async () => {
    const { port } = await serve([echo, hello]);
    const body = "x".repeat(1_500_000);
    const announced = await rawConnection(
      port,
      `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await until(() => announced.received().includes('"status":413'), "413 before any body");
    announced.socket.write(body);
    announced.socket.write("GET /hello/again HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => announced.received().includes("hello again"), "answer after the refused body");

    const chunked = await rawConnection(port, "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (let sent = 0; sent < 1_100_000; sent += 100_000)
      chunked.socket.write(`${(100_000).toString(16)}\r\n${"x".repeat(100_000)}\r\n`);
    await until(() => chunked.received().includes('"status":413'), "413 in the middle");
    chunked.socket.write("0\r\n\r\nGET /hello/again HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => chunked.received().includes("hello again"), "answer after the refused chunks");
  });

  it("ignores a small body that nobody wants, and refuses a large one together with its connection", async () => {
    const { port } = await serve([hello]);
    const small = await rawConnection(
      port,
      `GET /hello/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n${"x".repeat(1000)}`,
    );
    await until(() => small.received().includes("hello x"), "the answer");
    small.socket.write("GET /hello/again HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => small.received().includes("hello again"), "the next answer");

    const large = await rawConnection(port, "GET /hello/x HTTP/1.1\r\nHost: a\r\nContent-Length: 62000000\r\n\r\n");
    expect(await large.ended).toMatch(/^HTTP\/1.1 413 [\s\S]*connection: close[\s\S]*"status":413/i);
  });

  it("stays in step when the answer comes before the body was asked for", async () => {
    const refusing: HttpRoute = {
      method: "POST",
      path: "/refuse",
      maxBodyBytes: 2_000_000,
      async handle() {
        await later();
        throw new ServiceError("unauthenticated");
      },
    };
    const { port } = await serve([refusing, hello]);
    const body = "x".repeat(1_000_000);
    const raw = await rawConnection(
      port,
      `POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    raw.socket.write("GET /hello/next HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => raw.received().includes("hello next"), "the next answer");
    expect(raw.received()).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n[\s\S]*www-authenticate: Bearer\r\n/i);
  });

  it("tells the handler when an uploading client is gone", async () => {
    let failure: unknown = null;
    let aborted = false;
    const { port } = await serve([
      {
        method: "POST",
        path: "/upload",
        maxBodyBytes: 1_000_000,
        async handle(request, responder) {
          responder.closed.addEventListener("abort", () => (aborted = true));
          await request.body().catch((error: unknown) => {
            failure = error;
            throw error;
          });
        },
      },
    ]);
    const raw = await rawConnection(port, "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
    raw.socket.destroy();
    await until(() => aborted && failure instanceof ServiceError, "abort seen");
  });

  it("refuses what is no proper message", async () => {
    const { port } = await serve([echo, hello]);
    const smuggled = await rawConnection(
      port,
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG",
    );
    expect(await smuggled.ended).toMatch(/^HTTP\/1.1 400 /);
    const huge = await rawConnection(port, `GET /hello/x HTTP/1.1\r\nHost: a\r\nX-Big: ${"x".repeat(20_000)}\r\n\r\n`);
    expect(await huge.ended).toMatch(/^HTTP\/1.1 431 /);
    const large = await rawConnection(port, `GET /hello/x HTTP/1.1\r\nHost: a\r\nX-Big: ${"x".repeat(9_000)}\r\n\r\n`);
    await until(() => large.received().endsWith("hello x "), "a 9 kB head is served");
  });

  it("never mixes up pipelined requests", async () => {
    const { port } = await serve([hello]);
    const raw = await rawConnection(
      port,
      "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\nGET /elsewhere HTTP/1.1\r\nHost: a\r\n\r\n",
    );
    await until(() => raw.received().split("Not found").length === 3, "both immediate answers");
    // The engine breaks off a connection that sends a second request while the first is still being answered.
    const early = await rawConnection(
      port,
      "GET /hello/one HTTP/1.1\r\nHost: a\r\n\r\nGET /hello/two HTTP/1.1\r\nHost: a\r\n\r\n",
    );
    expect(await early.ended).not.toContain("two");
  });

  it("serves 200 connections at once", async () => {
    const { url } = await serve([echo]);
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) =>
        (await fetch(`${url}/echo`, { method: "POST", body: `request ${index}` })).text(),
      ),
    );
    expect(answers).toEqual(answers.map((_, index) => `request ${index}`));
  });

  it("holds a slow reader's writer back, and loses no byte", async () => {
    const total = 24 * 1024 * 1024;
    let waits = 0;
    const { port } = await serve([
      {
        method: "GET",
        path: "/stream",
        async handle(_request, responder) {
          responder.begin(200, { "content-type": "audio/pcm" });
          for (let sent = 0; sent < total; sent += 10_000) {
            const piece = Buffer.alloc(Math.min(10_000, total - sent));
            for (let at = 0; at < piece.length; at++) piece[at] = (sent + at) % 251;
            if (!responder.write(piece)) {
              waits++;
              await responder.writable();
            }
          }
          responder.end();
        },
      },
    ]);
    const raw = connect(port, "127.0.0.1");
    onCleanUp(() => raw.destroy());
    raw.pause();
    raw.write("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await until(() => waits > 0, "the writer waits");
    const waitsWhileStalled = waits;
    await later();
    expect(waits).toBe(waitsWhileStalled);
    const pieces: Buffer[] = [];
    raw.on("data", (piece: Buffer) => pieces.push(piece));
    raw.resume();
    await once(raw, "close");
    const body = dechunk(Buffer.concat(pieces));
    expect(body.length).toBe(total);
    expect(body.findIndex((value, index) => value !== index % 251)).toBe(-1);
  }, 60_000);

  it("disconnects a reader that takes nothing for too long", async () => {
    let gone = false;
    const { port } = await serve(
      [
        {
          method: "GET",
          path: "/stream",
          async handle(_request, responder) {
            responder.begin(200, {});
            while (!responder.closed.aborted) if (!responder.write(Buffer.alloc(100_000))) await responder.writable();
            gone = true;
          },
        },
      ],
      [],
      { stallMs: 200 },
    );
    const raw = connect(port, "127.0.0.1");
    onCleanUp(() => raw.destroy());
    raw.on("error", () => undefined); // the reset looked for
    raw.pause();
    raw.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => gone, "disconnected");
  });

  it("answers only the operator's paths while it drains", async () => {
    const ready: HttpRoute = {
      method: "GET",
      path: "/ready",
      handle: (_request, responder) => Promise.resolve(responder.end(text("ok"))),
    };
    const { url, dispatcher } = await serve([hello, ready]);
    void dispatcher.drain(0);
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    const refused = await fetch(`${url}/hello/x`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  });

  it("answers in full on connections that clients kept while it drains, and has them close these", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { url, dispatcher } = await serve([hello, big]);
    const ask = (path: string): Promise<{ status: number; reused: boolean; bytes: number }> =>
      new Promise((resolve, reject) => {
        const request = get(`${url}${path}`, { agent }, (answer) => {
          let bytes = 0;
          answer.on("data", (part: Buffer) => (bytes += part.byteLength));
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, reused: request.reusedSocket, bytes }));
        });
        request.on("error", reject);
      });
    expect(await ask("/hello/x")).toMatchObject({ status: 200, reused: false });
    void dispatcher.drain(60_000);
    // The connection is used once more, for more than a socket takes at once, and not again.
    expect(await ask("/big")).toEqual({ status: 200, reused: true, bytes: BIG_BYTES });
    expect(await ask("/hello/x")).toMatchObject({ status: 200, reused: false });
    agent.destroy();
  });
});

function dechunk(answer: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = answer.indexOf("\r\n\r\n") + 4;
  for (;;) {
    const lineEnd = answer.indexOf("\r\n", at);
    const size = Number.parseInt(answer.toString("latin1", at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(answer.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

describe("WebSocket", () => {
  const socketRoute = (
    session: (connection: SocketConnection) => SocketSession,
    extra: Partial<SocketRoute> = {},
  ): SocketRoute => ({
    path: "/live",
    maxFrameBytes: 1000,
    upgrade: async (request) => {
      await later();
      if (request.header("authorization") === undefined) throw new ServiceError("unauthenticated");
      return session;
    },
    ...extra,
  });
  const echoing = (connection: SocketConnection): SocketSession => ({
    message: (data, isBinary) => void connection.send(isBinary ? data : Buffer.from(data).toString()),
    end: () => undefined,
  });
  const authorized = { headers: { authorization: "Bearer x" } };

  const open = (url: string): Promise<WebSocket> => openSocket(url, authorized);
  const closing = async (socket: WebSocket): Promise<[code: number, reason: string]> => {
    const [code, reason] = (await once(socket, "close")) as [number, Buffer];
    return [code, reason.toString()];
  };

  it("upgrades, also under a doubled slash, and carries frames both ways", async () => {
    const { port } = await serve([], [socketRoute(echoing)]);
    for (const path of ["/live", "//live"]) {
      const socket = await open(`ws://127.0.0.1:${port}${path}`);
      socket.send(Buffer.from([1, 2, 3]));
      expect((await once(socket, "message")) as unknown).toEqual([Buffer.from([1, 2, 3]), true]);
      socket.send("text");
      expect((await once(socket, "message")) as unknown).toEqual([Buffer.from("text"), false]);
    }
  });

  it("refuses over HTTP before the upgrade", async () => {
    const { port, url } = await serve([], [socketRoute(echoing)]);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/live`);
    const [, answer] = (await once(socket, "unexpected-response")) as [
      unknown,
      { statusCode: number; headers: Record<string, string> },
    ];
    expect([answer.statusCode, answer.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect((await fetch(`${url}/live`)).status).toBe(426);
    const unknown = new WebSocket(`ws://127.0.0.1:${port}/elsewhere`, authorized);
    const [, missing] = (await once(unknown, "unexpected-response")) as [unknown, { statusCode: number }];
    expect(missing.statusCode).toBe(404);
  });

  it("closes with 1009 past the frame limit", async () => {
    const { port } = await serve([], [socketRoute(echoing)]);
    const socket = await open(`ws://127.0.0.1:${port}/live`);
    socket.send(Buffer.alloc(1001));
    expect((await closing(socket))[0]).toBe(1009);
  });

  it("closes with 1011 when the session's code fails, and serves on", async () => {
    const failing = (): SocketSession => ({
      message: () => {
        throw new Error("broken");
      },
      end: () => undefined,
    });
    const { port, listener } = await serve([], [socketRoute(failing)]);
    const socket = await open(`ws://127.0.0.1:${port}/live`);
    socket.send("x");
    expect((await closing(socket))[0]).toBe(1011);
    await open(`ws://127.0.0.1:${port}/live`);
    expect(listener.openSockets()).toBe(1);
  });

  it("holds back the sender to a slow reader, drops no frame, and closes after the last", async () => {
    const frames = 4000;
    let waits = 0;
    let most = 0;
    const flooding = (connection: SocketConnection): SocketSession => {
      const flood = async (): Promise<void> => {
        for (let index = 0; index < frames; index++) {
          const frame = Buffer.alloc(8000);
          frame.writeUInt32BE(index);
          if (!connection.send(frame)) {
            waits++;
            most = Math.max(most, connection.bufferedBytes());
            if (index < frames - 5) await connection.writable();
          }
        }
        connection.close(1000, "done");
      };
      void flood();
      return { message: () => undefined, end: () => undefined };
    };
    const { port } = await serve([], [socketRoute(flooding)]);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/live`, authorized);
    const received: number[] = [];
    socket.on("message", (data: Buffer) => received.push(data.readUInt32BE()));
    await once(socket, "open");
    socket.pause();
    await until(() => waits > 0, "the sender waits");
    socket.resume();
    expect(await closing(socket)).toEqual([1000, "done"]);
    expect(received).toEqual(Array.from({ length: frames }, (_, index) => index));
    expect(most).toBeLessThan(128 * 1024);
  }, 60_000);

  it("disconnects a reader that takes nothing for too long", async () => {
    let ended = false;
    const flooding = (connection: SocketConnection): SocketSession => {
      const flood = async (): Promise<void> => {
        while (!connection.closed.aborted) if (!connection.send(Buffer.alloc(100_000))) await connection.writable();
      };
      void flood();
      return {
        message: () => undefined,
        end: () => {
          ended = true;
        },
      };
    };
    const { port } = await serve([], [socketRoute(flooding)], { stallMs: 200 });
    const socket = await open(`ws://127.0.0.1:${port}/live`);
    socket.pause();
    await until(() => ended, "session ended");
  });

  it("closes a connection on which nothing arrives", async () => {
    const { port } = await serve([], [socketRoute(echoing)], { idleMs: 500 });
    const socket = await open(`ws://127.0.0.1:${port}/live`);
    expect((await closing(socket))[0]).toBe(1001);
  });

  it("ends sessions once, whoever leaves, and drains those that can finish", async () => {
    const log: string[] = [];
    const draining = (connection: SocketConnection): SocketSession => ({
      message: () => undefined,
      end: () => log.push("end"),
      drain: () => {
        connection.send("last words");
        connection.close(1001, "bye");
      },
    });
    const { port, listener } = await serve([], [socketRoute(draining)]);
    const leaving = await open(`ws://127.0.0.1:${port}/live`);
    leaving.terminate();
    await until(() => log.length === 1, "session of the client that left");
    const staying = await open(`ws://127.0.0.1:${port}/live`);
    const words = once(staying, "message");
    const closed = closing(staying);
    await listener.drainSockets();
    expect(((await words)[0] as Buffer).toString()).toBe("last words");
    expect(await closed).toEqual([1001, "bye"]);
    expect(log).toEqual(["end", "end"]);
    expect(listener.openSockets()).toBe(0);
  });

  it("opens 200 connections at once", async () => {
    const { port, listener } = await serve([], [socketRoute(echoing)]);
    const sockets = await Promise.all(Array.from({ length: 200 }, () => open(`ws://127.0.0.1:${port}/live`)));
    const answers = sockets.map((socket) => once(socket, "message"));
    sockets.forEach((socket, index) => socket.send(String(index)));
    expect((await Promise.all(answers)).map(([data]) => String(data))).toEqual(
      sockets.map((_, index) => String(index)),
    );
    expect(listener.openSockets()).toBe(200);
  });
});
