import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../harness/processes.js";
import { type ChaosProxy, startChaosProxy } from "./chaos-proxy.js";

/** What one end of a connection saw. */
interface Seen {
  text: string;
  ended: boolean;
  error: string | null;
  closed: boolean;
}

function watch(socket: Socket): Seen {
  const seen: Seen = { text: "", ended: false, error: null, closed: false };
  socket.on("data", (bytes: Buffer) => (seen.text += bytes.toString("latin1")));
  socket.on("end", () => (seen.ended = true));
  socket.on("error", (error: NodeJS.ErrnoException) => (seen.error = error.code ?? error.message));
  socket.on("close", () => (seen.closed = true));
  return seen;
}

let proxy: ChaosProxy;
let accepted: { socket: Socket; seen: Seen }[];
let clients: Socket[];
/** Answers each byte with the same byte in upper case. */
const server = createServer({ allowHalfOpen: true }, (socket) => {
  accepted.push({ socket, seen: watch(socket) });
  socket.on("data", (bytes: Buffer) => socket.write(bytes.toString("latin1").toUpperCase()));
});

beforeEach(async () => {
  [accepted, clients] = [[], []];
  await once(server.listen(0, "127.0.0.1"), "listening");
  proxy = await startChaosProxy((server.address() as AddressInfo).port);
});
afterEach(async () => {
  for (const socket of [...clients, ...accepted.map(({ socket }) => socket)]) socket.destroy();
  await proxy.stop();
  await new Promise((resolve) => server.close(resolve));
});

function open(): { socket: Socket; seen: Seen } {
  const socket = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
  clients.push(socket);
  return { socket, seen: watch(socket) };
}
const sees = (seen: Seen, condition: (seen: Seen) => boolean, withinMs = 5000): Promise<void> =>
  until(() => condition(seen), { withinMs, what: `something else than ${JSON.stringify(seen)}` });

it("passes bytes and ends on, both ways, and counts", async () => {
  const { socket, seen } = open();
  socket.write("hello");
  await sees(seen, ({ text }) => text === "HELLO");
  expect([proxy.connections(), proxy.passedBytes()]).toEqual([1, 10]);
  socket.end();
  await sees(accepted[0]!.seen, ({ ended }) => ended);
  accepted[0]!.socket.end();
  await sees(seen, ({ ended }) => ended);
  await until(() => proxy.connections() === 0, { withinMs: 5000, what: "no connection" });
});

it("gives the address of its server with its own port", () => {
  expect(proxy.urlOf("nats://parley:secret@127.0.0.1:4222")).toBe(`nats://parley:secret@127.0.0.1:${proxy.port}`);
});

it("delays everything, in order", async () => {
  await proxy.set({ type: "latency", delayMs: 100 });
  const { socket, seen } = open();
  const beganMs = performance.now();
  socket.write("one ");
  socket.write("two");
  await sees(seen, ({ text }) => text === "ONE TWO");
  expect(performance.now() - beganMs).toBeGreaterThan(195);
});

it("swallows what is sent into a black hole, on connections old and new, and lets it go when it is over", async () => {
  const before = open();
  before.socket.write("a");
  await sees(before.seen, ({ text }) => text === "A");
  await proxy.set({ type: "black-hole" });
  const during = open();
  before.socket.write("b");
  during.socket.write("c");
  await once(during.socket, "connect");
  // Whatever would come through comes within a turn of this process: both ends are in it.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect([before.seen, during.seen]).toEqual([
    { text: "A", ended: false, error: null, closed: false },
    { text: "", ended: false, error: null, closed: false },
  ]);
  await proxy.set({ type: "pass" });
  await sees(before.seen, ({ text }) => text === "AB");
  await sees(during.seen, ({ text }) => text === "C");
});

it("resets a connection after so many bytes, and each new one", async () => {
  await proxy.set({ type: "reset-after", bytes: 10 });
  for (let round = 0; round < 2; round++) {
    const { socket, seen } = open();
    socket.write("abcd");
    await sees(seen, ({ text }) => text === "ABCD");
    socket.write("efg");
    await sees(seen, ({ closed }) => closed);
    expect([seen.text, seen.error, accepted[round]!.seen.text]).toEqual(["ABCD", "ECONNRESET", "abcd"]);
    await sees(accepted[round]!.seen, ({ closed }) => closed);
  }
});

it("closes the server's half, and still passes what the client says", async () => {
  const { socket, seen } = open();
  socket.write("a");
  await sees(seen, ({ text }) => text === "A");
  await proxy.set({ type: "half-close" });
  await sees(seen, ({ ended }) => ended);
  socket.write("b");
  await sees(accepted[0]!.seen, ({ text }) => text === "ab");
  expect(seen).toEqual({ text: "A", ended: true, error: null, closed: false });
});

it("lets bytes drip", async () => {
  await proxy.set({ type: "drip", bytesPerSecond: 500 });
  const { socket, seen } = open();
  const beganMs = performance.now();
  socket.write("x".repeat(100));
  await sees(seen, ({ text }) => text.length === 100);
  // Ten bytes in 20 ms, of which the first go at once.
  expect(performance.now() - beganMs).toBeGreaterThan(170);
});

it("refuses new connections, keeps the old, and listens on the same port again", async () => {
  const { port } = proxy;
  const before = open();
  before.socket.write("a");
  await sees(before.seen, ({ text }) => text === "A");
  await proxy.set({ type: "refuse" });
  const refused = open();
  await sees(refused.seen, ({ error }) => error === "ECONNREFUSED");
  before.socket.write("b");
  await sees(before.seen, ({ text }) => text === "AB");
  await proxy.set({ type: "pass" });
  const after = open();
  after.socket.write("c");
  await sees(after.seen, ({ text }) => text === "C");
  expect(proxy.port).toBe(port);
});

it("resets every connection at once", async () => {
  const [one, two] = [open(), open()];
  for (const { socket } of [one, two]) socket.write("a");
  for (const { seen } of [one, two]) await sees(seen, ({ text }) => text === "A");
  proxy.resetAll();
  for (const { seen } of [one, two]) await sees(seen, ({ error }) => error === "ECONNRESET");
  expect(proxy.connections()).toBe(0);
});

it("holds back a sender whose bytes nobody takes", async () => {
  await proxy.set({ type: "black-hole" });
  const { socket } = open();
  const block = Buffer.alloc(1024 * 1024, "a");
  let isFull = false;
  for (let written = 0; written < 64 && !isFull; written++) {
    isFull = !socket.write(block) && (await Promise.race([once(socket, "drain").then(() => false), turns()]));
  }
  expect(isFull).toBe(true);
});

/** True after so long that whoever reads has read. */
async function turns(): Promise<boolean> {
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
  return true;
}
