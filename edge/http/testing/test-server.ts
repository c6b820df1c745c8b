import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect } from "vitest";
import { WebSocket } from "ws";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { Dispatcher, type ExchangeRecord } from "../dispatcher.js";
import type { HttpRoute, SocketRoute } from "../exchange.js";
import { type Listener, listen as listenOnUws } from "../uws.js";

const log = createLogger("test", "fatal");

/** The engine with a dispatcher behind it, as the edge runs them. */
export interface Running {
  url: string;
  port: number;
  listener: Listener;
  dispatcher: Dispatcher;
  records: ExchangeRecord[];
}

const cleanups: (() => void)[] = [];

/** Runs when the test is over. */
export const onCleanUp = (cleanup: () => void): void => void cleanups.push(cleanup);

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Serves routes on a free port until the test is over; `listen` may be that of another engine. */
export async function serve(
  routes: HttpRoute[],
  sockets: SocketRoute[] = [],
  settings: { stallMs?: number; idleMs?: number; listen?: typeof listenOnUws } = {},
): Promise<Running> {
  const records: ExchangeRecord[] = [];
  const dispatcher = new Dispatcher({
    routes,
    sockets,
    cors: { allowedOrigins: ["https://app.example"] },
    log,
    observer: { began: () => undefined, ended: (record) => void records.push(record) },
    clock: systemClock,
  });
  const listener = await (settings.listen ?? listenOnUws)({
    host: "127.0.0.1",
    port: 0,
    clientAddress: (peer) => peer,
    answer: (request, responder) => dispatcher.answer(request, responder),
    refuse: (request, responder, error) => dispatcher.refuse(request, responder, error),
    sockets,
    refuseUpgrade: (request, responder, path, error) => dispatcher.refuseUpgrade(request, responder, path, error),
    clock: systemClock,
    log,
    stallMs: settings.stallMs ?? 30_000,
    idleMs: settings.idleMs ?? 60_000,
  });
  cleanups.push(() => listener.close());
  return { url: `http://127.0.0.1:${listener.port}`, port: listener.port, listener, dispatcher, records };
}

/** Resolves in a later turn of the event loop: handlers that answer at once take another path through the engine. */
export const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A raw connection, for what a proper client would never send. */
export async function rawConnection(
  port: number,
  ...pieces: string[]
): Promise<{ socket: Socket; received: () => string; ended: Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  cleanups.push(() => socket.destroy());
  let data = "";
  socket.on("data", (piece) => (data += piece.toString("latin1")));
  socket.on("error", () => undefined); // a reset is one of the outcomes looked at
  const ended = new Promise<string>((resolve) => socket.once("close", () => resolve(data)));
  await once(socket, "connect");
  for (const piece of pieces) socket.write(piece);
  return { socket, received: () => data, ended };
}

/** Waits for something that happens in another process or connection. */
export const until = (condition: () => boolean, what: string): Promise<void> =>
  expect.poll(condition, { timeout: 10_000, interval: 5, message: what }).toBe(true);

/** An open WebSocket. */
export async function openSocket(url: string, options: { headers?: Record<string, string> } = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, options);
  cleanups.push(() => socket.terminate());
  await once(socket, "open");
  return socket;
}
