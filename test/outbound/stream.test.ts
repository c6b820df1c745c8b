import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "#common/log";
import { createOutbound, type StreamingOutbound } from "#common/outbound/outbound";
import type { OutboundStream, OutboundStreamRequest } from "#common/outbound/stream";
import { type DnsServer, startDnsServer } from "./dns-server.js";
import { flood, type HostileServer, startHostileServer } from "./hostile-server.js";

const log = createLogger("test", "fatal");
const PUBLIC = "93.184.216.34";
let dns: DnsServer;
let server: HostileServer;
/** Sends to the loopback server only. */
let open: StreamingOutbound;
/** The server's ends of the connections, in order. */
const sockets: Socket[] = [];

const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nx-mixed: Yes\r\n\r\n";
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

function answer(socket: Socket, head: string): void {
  sockets.push(socket);
  const scripts: Record<string, () => void> = {
    // The rest is written by the test.
    "/slow": () => socket.write(`${chunked}${chunk("one")}`),
    "/echo": () => socket.write(`${chunked}${chunk(head)}0\r\n\r\n`),
    "/huge": () => {
      socket.write(chunked);
      flood(socket, Buffer.from(chunk("x".repeat(4096))));
    },
    "/extensions": () => {
      socket.write(chunked);
      flood(socket, Buffer.from(`1;${"e".repeat(4000)}\r\nx\r\n`));
    },
    "/over": () => socket.write(`${chunked}${chunk("x".repeat(60_000))}0\r\n\r\n`),
    "/bomb": () => {
      const body = gzipSync(Buffer.alloc(10_000_000));
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    },
    "/gzip": () => {
      const body = gzipSync("small");
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    },
    "/cut": () => void socket.write(`${chunked}${chunk("one")}`, () => socket.destroy()),
    "/redirect": () => socket.write("HTTP/1.1 302 Found\r\nlocation: /echo\r\ncontent-length: 0\r\n\r\n"),
    "/silent": () => undefined,
    "/nonsense": () => socket.write("SSH-2.0-OpenSSH_9.6\r\n\r\n"),
  };
  scripts[head.split(" ")[1] ?? ""]?.();
}

beforeAll(async () => {
  dns = await startDnsServer((name, family, asked) => {
    if (name === "rebind.hooks.dev")
      return family === 4 ? { addresses: [asked === 0 ? PUBLIC : "127.0.0.1"] } : { addresses: [] };
    return { addresses: ["127.0.0.1"] };
  });
  server = await startHostileServer(answer);
  open = createOutbound({ allow: [`127.0.0.1:${server.port}`], log, dnsServers: [dns.address] });
});

afterAll(() => Promise.all([dns.close(), server.close()]));

const base = (): string => `http://127.0.0.1:${server.port}`;
const stream = (path: string, change: Partial<OutboundStreamRequest> = {}): Promise<OutboundStream> =>
  open.stream({ method: "GET", url: `${base()}${path}`, timeoutMs: 5000, maxResponseBytes: 100_000, ...change });

async function readAll({ body }: OutboundStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const part of body) chunks.push(part);
  return Buffer.concat(chunks).toString();
}

/** Resolves when the server sees the newest connection go. */
async function goneAtServer(): Promise<void> {
  const socket = sockets.at(-1);
  // Not `once`: a connection that the client resets closes with an error.
  if (socket?.closed === false) await new Promise((resolve) => socket.once("close", resolve));
}

describe("a streamed answer", () => {
  it("is given as it comes: its head before its body, a piece before the next is written", async () => {
    const answered = await stream("/slow");
    expect(answered).toMatchObject({ status: 200, headers: { "x-mixed": "Yes" } });
    const pieces = answered.body[Symbol.asyncIterator]();
    expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe("one");
    sockets.at(-1)?.write(`${chunk("two")}0\r\n\r\n`);
    expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe("two");
    expect(await pieces.next()).toMatchObject({ done: true });
    await goneAtServer();
  });

  it("is asked for without compression, with a body and headers, and decoded where it is compressed all the same", async () => {
    const head = await readAll(
      await stream("/echo", { method: "POST", headers: [["x-one", "1"]], body: Buffer.from("{}") }),
    );
    expect(head).toMatch(/^POST \/echo HTTP\/1\.1\r\n/);
    for (const line of ["x-one: 1", "content-length: 2", "accept-encoding: identity"]) expect(head).toContain(line);
    expect(await readAll(await stream("/gzip"))).toBe("small");
  });

  it("may be a redirect, which is not followed", async () => {
    const count = server.heads.length;
    const answered = await stream("/redirect");
    expect(answered.status).toBe(302);
    answered.close();
    await goneAtServer();
    expect(server.heads.length).toBe(count + 1);
  });

  it.each(["/huge", "/extensions", "/over", "/bomb"])("of %s is bounded", async (path) => {
    const reading = stream(path, { maxResponseBytes: 50_000 }).then(readAll);
    await expect(reading).rejects.toMatchObject({
      name: "OutboundError",
      reason: expect.stringMatching(/response_too_large|bad_response/) as unknown,
    });
    await goneAtServer();
  });

  it.each([
    ["/cut", "connection_lost"],
    ["/nonsense", "bad_response"],
  ])("of %s ends with %s", async (path, reason) => {
    await expect(stream(path).then(readAll)).rejects.toMatchObject({ name: "OutboundError", reason });
  });

  it.each(["/silent", "/slow"])("of %s ends at the deadline, read or not", async (path) => {
    const began = performance.now();
    await expect(stream(path, { timeoutMs: 250 }).then(readAll)).rejects.toMatchObject({ reason: "timeout" });
    await goneAtServer();
    if (path === "/slow") {
      await stream(path, { timeoutMs: 250 });
      await goneAtServer();
    }
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it("ends when its caller gives up, in the middle of the body too", async () => {
    for (const path of ["/silent", "/slow"]) {
      const controller = new AbortController();
      const count = server.heads.length;
      const reading = stream(path, { signal: controller.signal }).then(readAll);
      await expect.poll(() => server.heads.length).toBe(count + 1);
      controller.abort();
      await expect(reading).rejects.toMatchObject({ reason: "cancelled" });
      await goneAtServer();
    }
    const gone = AbortSignal.abort();
    await expect(stream("/slow", { signal: gone })).rejects.toMatchObject({ reason: "cancelled" });
  });

  it("ends when nobody reads on", async () => {
    for await (const _piece of (await stream("/slow")).body) break;
    await goneAtServer();
  });
});

describe("what is left of a streamed request", () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

  it.each<[string, (answered: OutboundStream) => Promise<unknown>]>([
    ["read", readAll],
    ["closed", async (answered) => answered.close()],
    ["read in part", async ({ body }) => await body[Symbol.asyncIterator]().next()],
  ])("is nothing when its answer was %s", async (_name, use) => {
    const before = timers();
    const controller = new AbortController();
    for (let count = 0; count < 10; count++) await use(await stream("/echo", { signal: controller.signal }));
    controller.abort();
    await goneAtServer();
    await expect.poll(timers).toBeLessThan(before + 5);
  });
});

describe("the guard of a streamed request", () => {
  it.each([
    ["http://127.0.0.1:8081/", "private_address"],
    ["http://169.254.169.254/latest/", "private_address"],
    ["http://localhost/", "private_host"],
    ["http://private.hooks.dev/", "private_address"],
    ["http://user:pw@public.hooks.dev/", "embedded_credentials"],
    ["file:///etc/passwd", "unsupported_scheme"],
    ["https://smtp.hooks.dev:25/", "forbidden_port"],
  ])("refuses %s with %s", async (url, reason) => {
    await expect(stream("/", { url })).rejects.toMatchObject({ name: "OutboundError", reason, refused: true });
  });

  it("refuses headers that would change the message", async () => {
    await expect(stream("/slow", { headers: [["transfer-encoding", "chunked"]] })).rejects.toMatchObject({
      reason: "forbidden_header",
    });
  });

  it("pins the address that it judged, and judges it again once the connection stands", async () => {
    const dialled: string[] = [];
    const guarded = (isHonest: boolean): StreamingOutbound =>
      createOutbound({
        ...{ allow: [], log, dnsServers: [dns.address] },
        dial: async (address) => {
          dialled.push(address);
          const socket = connect(server.port, "127.0.0.1");
          await once(socket, "connect");
          return isHonest ? Object.defineProperty(socket, "remoteAddress", { value: address }) : socket;
        },
      });
    const send = (outbound: StreamingOutbound, url: string): Promise<string> =>
      outbound.stream({ method: "GET", url, timeoutMs: 5000, maxResponseBytes: 10_000 }).then(readAll);
    expect(await send(guarded(true), "http://rebind.hooks.dev/echo")).toContain("host: rebind.hooks.dev");
    await expect(send(guarded(true), "http://rebind.hooks.dev/echo")).rejects.toMatchObject({
      reason: "private_address",
    });
    const count = server.heads.length;
    await expect(send(guarded(false), `http://${PUBLIC}/echo`)).rejects.toMatchObject({ reason: "private_address" });
    expect(dialled).toEqual([PUBLIC, PUBLIC]);
    expect(server.heads.length).toBe(count);
  });
});

describe("hosts that a setting of the operator names", () => {
  it("may be private, without a warning that users could name them", async () => {
    const lines: unknown[] = [];
    const loud = Object.assign(Object.create(log) as typeof log, { warn: (...parts: unknown[]) => lines.push(parts) });
    const outbound = createOutbound({ allow: [], trusted: [`127.0.0.1:${server.port}`], log: loud });
    const answered = await outbound.stream({
      ...{ method: "GET", url: `${base()}/echo`, timeoutMs: 5000, maxResponseBytes: 10_000 },
    });
    expect(await readAll(answered)).toContain("GET /echo");
    expect(lines).toEqual([]);
    await expect(outbound.checkUrl("http://127.0.0.1:8081/")).rejects.toMatchObject({ reason: "private_address" });
  });
});
