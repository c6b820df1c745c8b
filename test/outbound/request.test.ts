import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createLogger } from "#common/log";
import { createOutbound, type Outbound, type OutboundRequest } from "#common/outbound/outbound";
import { type DnsServer, startDnsServer } from "./dns-server.js";
import { flood, type HostileServer, startHostileServer } from "./hostile-server.js";

const log = createLogger("test", "fatal");
const PUBLIC = "93.184.216.34";
let dns: DnsServer;
let server: HostileServer;
/** Sends to the loopback server only. */
let open: Outbound;

const ok = (body: string | Buffer, headers = ""): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`),
    Buffer.from(body),
  ]);
const redirect = (status: number, location: string): string =>
  `HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;

function answer(socket: Socket, head: string): void {
  const path = head.split(" ")[1] ?? "";
  const target = new URL(path, "http://x").searchParams.get("to") ?? "";
  const scripts: Record<string, () => void> = {
    "/": () => socket.write(ok("hello")),
    "/echo": () => socket.write(ok(head)),
    "/redirect": () => socket.write(redirect(Number(new URL(path, "http://x").searchParams.get("status")), target)),
    "/loop": () => socket.write(redirect(302, "/loop")),
    "/gzip": () => socket.write(ok(gzipSync("small"), "content-encoding: gzip\r\n")),
    "/deflate": () => socket.write(ok(deflateSync("small"), "content-encoding: deflate\r\n")),
    "/br": () => socket.write(ok(brotliCompressSync("small"), "content-encoding: br\r\n")),
    "/bomb": () => socket.write(ok(gzipSync(Buffer.alloc(64 * 1024 * 1024)), "content-encoding: gzip\r\n")),
    "/layers": () => socket.write(ok(gzipSync(gzipSync("x")), "content-encoding: gzip, gzip\r\n")),
    "/broken-gzip": () => socket.write(ok("this is not gzip", "content-encoding: gzip\r\n")),
    "/huge": () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n");
      flood(socket, Buffer.alloc(65536, 120));
    },
    "/endless-chunks": () => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      flood(socket, Buffer.from(`1000\r\n${"x".repeat(4096)}\r\n`));
    },
    "/endless-headers": () => {
      socket.write("HTTP/1.1 200 OK\r\n");
      flood(socket, Buffer.from(`x-filler: ${"y".repeat(1000)}\r\n`));
    },
    "/informational": () => flood(socket, Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(200))),
    "/extensions": () => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      flood(socket, Buffer.from(`1;${"e".repeat(4000)}\r\nx\r\n`));
    },
    "/silent": () => undefined,
    "/drip": () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(timer));
    },
    "/cut": () => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc", () => socket.destroy()),
    "/reset": () => socket.destroy(),
    "/nonsense": () => socket.write("SSH-2.0-OpenSSH_9.6\r\n\r\n"),
    "/no-content": () => socket.write("HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n"),
    "/error": () => socket.write("HTTP/1.1 500 Broken\r\ncontent-length: 3\r\n\r\nbad"),
    "/cookies": () => socket.write(ok("", "set-cookie: a=1\r\nset-cookie: b=2\r\nX-Mixed: Yes\r\n")),
  };
  scripts[new URL(path, "http://x").pathname]?.();
}

beforeAll(async () => {
  // The second answer for one name differs from the first: what DNS rebinding does.
  dns = await startDnsServer((name, family, asked) => {
    if (name === "rebind.hooks.dev")
      return family === 4 ? { addresses: [asked === 0 ? PUBLIC : "127.0.0.1"] } : { addresses: [] };
    if (name === "missing.hooks.dev") return { errorCode: 3 };
    return { addresses: ["127.0.0.1"] };
  });
  server = await startHostileServer(answer);
  open = createOutbound({ allow: [`127.0.0.1:${server.port}`], log, dnsServers: [dns.address] });
});

afterAll(() => Promise.all([dns.close(), server.close()]));

const base = (): string => `http://127.0.0.1:${server.port}`;
const request = (path: string, change: Partial<OutboundRequest> = {}): ReturnType<Outbound["request"]> =>
  open.request({ method: "GET", url: `${base()}${path}`, timeoutMs: 5000, maxResponseBytes: 100_000, ...change });
const lastHead = (): string => server.heads.at(-1) ?? "";

describe("a request through the guard", () => {
  it("gives status, headers and body", async () => {
    const response = await request("/cookies");
    expect(response).toMatchObject({ status: 200, truncated: false, url: `${base()}/cookies` });
    expect(response.headers).toMatchObject({ "set-cookie": "a=1, b=2", "x-mixed": "Yes" });
    expect(Buffer.from((await request("/")).body).toString()).toBe("hello");
    expect(await request("/error")).toMatchObject({ status: 500, body: Buffer.from("bad") });
  });

  it("sends headers in order, the body with its length, the name as Host and no fragment", async () => {
    const url = `http://public.hooks.dev:${server.port}/echo?a=1#secret`;
    const body = Buffer.from("{}");
    await open.request({
      method: "POST",
      url,
      headers: [
        ["x-one", "1"],
        ["content-type", "application/json"],
      ],
      body,
      timeoutMs: 5000,
      maxResponseBytes: 9999,
    });
    expect(lastHead()).toMatch(/^POST \/echo\?a=1 HTTP\/1\.1\r\n/);
    expect(lastHead()).toContain(`host: public.hooks.dev:${server.port}\r\n`);
    expect(lastHead()).toContain("content-length: 2\r\n");
    expect(lastHead().indexOf("x-one: 1")).toBeLessThan(lastHead().indexOf("content-type: application/json"));
    expect(lastHead()).toMatch(/user-agent: parley\/\d/);
  });

  it("ignores proxies of the environment", async () => {
    process.env["HTTP_PROXY"] = "http://127.0.0.1:1";
    process.env["http_proxy"] = "http://127.0.0.1:1";
    try {
      expect((await request("/")).status).toBe(200);
    } finally {
      delete process.env["HTTP_PROXY"];
      delete process.env["http_proxy"];
    }
  });

  it("does not reach the same server on a port, or by a name, that the operator did not allow", async () => {
    const strict = createOutbound({ allow: [`127.0.0.1:${server.port}`], log, dnsServers: [dns.address] });
    await expect(strict.checkUrl(`http://127.0.0.1:${server.port + 1}/`)).rejects.toMatchObject({
      reason: "private_address",
    });
    await expect(strict.checkUrl(`http://localhost:${server.port}/`)).rejects.toMatchObject({ reason: "private_host" });
  });

  it("says loudly that hosts are allowed", () => {
    const lines: unknown[] = [];
    const loud = Object.assign(Object.create(log) as typeof log, {
      warn: (...parts: unknown[]) => void lines.push(parts),
    });
    createOutbound({ allow: [], log: loud });
    expect(lines).toEqual([]);
    createOutbound({ allow: ["10.0.0.0/8"], log: loud });
    expect(JSON.stringify(lines)).toContain("10.0.0.0/8");
  });
});

describe("an answer that means harm", () => {
  it.each([
    ["/huge", "response_too_large"],
    ["/endless-chunks", "response_too_large"],
    ["/endless-headers", "response_too_large"],
    ["/informational", "response_too_large"],
    ["/extensions", /response_too_large|bad_response/],
    ["/bomb", "response_too_large"],
    ["/layers", "bad_response"],
    ["/broken-gzip", "bad_response"],
    ["/cut", "connection_lost"],
    ["/reset", "connection_lost"],
    ["/nonsense", "bad_response"],
  ])("%s ends with %s", async (path, reason) => {
    const expected: unknown = typeof reason === "string" ? reason : expect.stringMatching(reason);
    await expect(request(path)).rejects.toMatchObject({ name: "OutboundError", reason: expected, refused: false });
  });

  it.each(["/silent", "/drip"])("%s ends at the deadline", async (path) => {
    const began = performance.now();
    await expect(request(path, { timeoutMs: 250 })).rejects.toMatchObject({ reason: "timeout" });
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it("can be cut at the limit instead, a bomb too", async () => {
    const huge = await request("/huge", { overflow: "truncate", maxResponseBytes: 65_536 });
    expect(huge).toMatchObject({ status: 200, truncated: true });
    expect(huge.body.byteLength).toBe(65_536);
    expect(await request("/bomb", { overflow: "truncate", maxResponseBytes: 10 })).toMatchObject({
      truncated: true,
      body: Buffer.alloc(10),
    });
    expect(await request("/", { overflow: "truncate", maxResponseBytes: 5 })).toMatchObject({
      truncated: false,
      body: Buffer.from("hello"),
    });
  });

  it("is decompressed where that is fair", async () => {
    for (const path of ["/gzip", "/deflate", "/br"])
      expect(Buffer.from((await request(path)).body).toString()).toBe("small");
    expect((await request("/no-content")).body.byteLength).toBe(0);
  });

  it("is not waited for after the caller gave up", async () => {
    const controller = new AbortController();
    const waiting = request("/silent", { signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ reason: "cancelled" });
    await expect(request("/", { signal: controller.signal })).rejects.toMatchObject({ reason: "cancelled" });
  });
});

describe("redirects", () => {
  const to = (status: number, url: string): string => `/redirect?status=${status}&to=${encodeURIComponent(url)}`;

  it.each([301, 302, 303, 307, 308])("are an answer (%i) where nobody asked to follow them", async (status) => {
    const count = server.heads.length;
    expect(await request(to(status, `${base()}/`))).toMatchObject({ status });
    expect(server.heads.length).toBe(count + 1);
  });

  it.each([
    ["http://127.0.0.1:8081/", "private_address"],
    ["http://169.254.169.254/latest/", "private_address"],
    ["http://[::1]/", "private_address"],
    ["http://localhost/", "private_host"],
    ["http://private.hooks.dev/", "private_address"],
    ["//127.0.0.1/", "private_address"],
    ["file:///etc/passwd", "unsupported_scheme"],
    ["gopher://public.hooks.dev/", "unsupported_scheme"],
    ["http://user:pw@public.hooks.dev/", "embedded_credentials"],
    ["http://missing.hooks.dev/", "unresolvable"],
  ])("to %s are refused with %s, whatever their status", async (url, reason) => {
    for (const status of [301, 302, 303, 307, 308]) {
      await expect(request(to(status, url), { maxRedirects: 3 })).rejects.toMatchObject({ reason });
    }
  });

  it("in a circle end", async () => {
    await expect(request("/loop", { maxRedirects: 3 })).rejects.toMatchObject({ reason: "too_many_redirects" });
  });

  it("keep everything on the same origin, and nothing secret on another", async () => {
    const headers = [
      ["authorization", "Bearer s"],
      ["x-api-key", "k"],
      ["cookie", "c"],
      ["accept", "text/plain"],
    ] as const;
    await request(to(307, "/echo"), { maxRedirects: 1, headers });
    expect(lastHead()).toContain("authorization: Bearer s");
    const other = await open.request({
      method: "GET",
      url: `http://public.hooks.dev:${server.port}${to(302, `${base()}/echo`)}`,
      ...{ headers, maxRedirects: 1, timeoutMs: 5000, maxResponseBytes: 9999 },
    });
    expect(other.url).toBe(`${base()}/echo`);
    expect(lastHead()).not.toMatch(/authorization|x-api-key|cookie/i);
    expect(lastHead()).toContain("accept: text/plain");
  });

  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "PUT", "GET"],
    [307, "POST", "POST"],
    [308, "PUT", "PUT"],
    [301, "DELETE", "DELETE"],
  ] as const)("%i turn %s into %s", async (status, method, next) => {
    await request(to(status, "/echo"), {
      method,
      maxRedirects: 1,
      body: Buffer.from("x"),
      headers: [["content-type", "text/plain"]],
    });
    expect(lastHead().startsWith(`${next} /echo`)).toBe(true);
    expect(/content-length: 1/.test(lastHead())).toBe(next !== "GET");
  });
});

describe("headers that would change the message", () => {
  it.each([
    ["x-a", "b\r\nx-injected: 1"],
    ["x-a", "b\nx"],
    ["x-a", "b\u0000"],
    ["x-a", "snow ☃"],
    ["x-a\r\nx-b", "1"],
    ["x a", "1"],
    ["", "1"],
    ["Host", "127.0.0.1"],
    ["host", "internal"],
    ["Transfer-Encoding", "chunked"],
    ["content-length", "0"],
    ["Connection", "upgrade"],
    ["upgrade", "h2c"],
    ["TE", "trailers"],
    ["Expect", "100-continue"],
    ["Proxy-Authorization", "Basic x"],
    ["x-long", "y".repeat(20_000)],
  ])("are refused: %j", async (name, value) => {
    const count = server.heads.length;
    await expect(request("/", { headers: [[name, value]] })).rejects.toMatchObject({
      reason: "forbidden_header",
      refused: true,
    });
    expect(server.heads.length).toBe(count);
  });
});

describe("the address", () => {
  const spying = (dialled: string[], dress: (socket: Socket, address: string) => void): Outbound =>
    createOutbound({
      ...{ allow: [], log, dnsServers: [dns.address] },
      dial: async (address) => {
        dialled.push(address);
        const socket = connect(server.port, "127.0.0.1");
        await once(socket, "connect");
        dress(socket, address);
        return socket;
      },
    });

  it("is asked for once and pinned: what DNS says afterwards does not count", async () => {
    const dialled: string[] = [];
    const guarded = spying(dialled, (socket, address) =>
      Object.defineProperty(socket, "remoteAddress", { value: address }),
    );
    const send = (): Promise<unknown> =>
      guarded.request({ method: "GET", url: "http://rebind.hooks.dev/", timeoutMs: 5000, maxResponseBytes: 100 });
    expect(await send()).toMatchObject({ status: 200 });
    expect(dialled).toEqual([PUBLIC]);
    expect(dns.questions("rebind.hooks.dev")).toBe(2);
    await expect(send()).rejects.toMatchObject({ reason: "private_address" });
    expect(dialled).toEqual([PUBLIC]);
  });

  it("is judged again once the connection stands, before a byte is sent", async () => {
    const count = server.heads.length;
    const dialled: string[] = [];
    const guarded = spying(dialled, () => undefined);
    const attempt = guarded.request({
      method: "GET",
      url: `http://${PUBLIC}/`,
      timeoutMs: 5000,
      maxResponseBytes: 100,
    });
    await expect(attempt).rejects.toMatchObject({ reason: "private_address", refused: true });
    expect(dialled).toEqual([PUBLIC]);
    expect(server.heads.length).toBe(count);
  });

  it("that does not answer is a failed connection", async () => {
    const closed = await startHostileServer(() => undefined);
    await closed.close();
    const guarded = createOutbound({ allow: ["127.0.0.1"], log });
    const attempt = guarded.request({
      method: "GET",
      url: `http://127.0.0.1:${closed.port}/`,
      timeoutMs: 5000,
      maxResponseBytes: 100,
    });
    await expect(attempt).rejects.toMatchObject({ reason: "connect_failed", refused: false });
  });

  it("is let go of when the time is over in the middle of the handshake", async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const accepted = once(silent, "connection") as Promise<[Socket]>;
    const { port } = silent.address() as AddressInfo;
    const attempt = createOutbound({ allow: ["127.0.0.1"], log }).request({
      ...{ method: "GET", url: `https://127.0.0.1:${port}/`, timeoutMs: 500, maxResponseBytes: 100 },
    });
    await expect(attempt).rejects.toMatchObject({ reason: "timeout" });
    const [socket] = await accepted;
    if (!socket.closed) await once(socket, "close");
  });

  it("that speaks no TLS is a failed handshake", async () => {
    await expect(request("/", { url: `https://127.0.0.1:${server.port}/`, timeoutMs: 1000 })).rejects.toMatchObject({
      reason: expect.stringMatching(/tls_failed|timeout/) as unknown,
    });
  });
});
