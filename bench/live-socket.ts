import { once } from "node:events";
import { decode, encode } from "@msgpack/msgpack";
import type WebSocket from "ws";
import { type LiveOptions, openLive } from "#test/harness/live-client";

/** Audio that arrived in one frame. */
export interface Arrival {
  /** On the clock of `performance.now()`. */
  atMs: number;
  bytes: number;
}

/** The arrival with which so many bytes had come; undefined when fewer came. */
export function arrivalOf(neededBytes: number, arrivals: readonly Arrival[]): Arrival | undefined {
  let bytes = 0;
  return arrivals.find((arrival) => {
    bytes += arrival.bytes;
    return bytes >= neededBytes;
  });
}

/** A live stream that is driven word by word. */
export interface LiveSocket {
  send(text: string): void;
  /** Everything so far is spoken now. */
  flush(): void;
  /** No more text follows; the server closes after the last audio. */
  stop(): void;
  arrivals: readonly Arrival[];
  /** The audio itself, as far as it is kept. */
  audio(): Uint8Array;
  /** Resolves once so many bytes of audio have come; rejects when the stream ends first. */
  received(bytes: number): Promise<Arrival>;
  /** When the server said that the stream is over; null before. */
  finishedAtMs(): number | null;
  /** Resolves at the close; the reason when it was not the regular one. */
  over: Promise<string | null>;
}

/** Connects and starts a stream; resolves once `start` has been sent. Rejects when the server refuses. */
export async function openStream(
  options: Pick<LiveOptions, "baseUrl" | "apiKey" | "request">,
  keepBytes: number,
): Promise<LiveSocket> {
  const socket = openLive(options);
  const stream = followStream(socket, keepBytes);
  await Promise.race([
    once(socket, "open"),
    stream.over.then((reason) => Promise.reject(new Error(reason ?? "the server closed at once"))),
  ]);
  socket.send(encode({ event: "start", request: { text: "", ...options.request } }));
  return stream;
}

function followStream(socket: WebSocket, keepBytes: number): LiveSocket {
  const arrivals: Arrival[] = [];
  const kept: Uint8Array[] = [];
  let totalBytes = 0;
  let finishedAtMs: number | null = null;
  let problem: string | null = "the connection broke";
  let awaited: { bytes: number; resolve: (arrival: Arrival) => void } | null = null;
  socket.on("message", (data: Buffer) => {
    const atMs = performance.now();
    const message = decode(data) as { event: string; audio?: Uint8Array; reason?: string; message?: string };
    if (message.event === "finish") {
      finishedAtMs = atMs;
      problem = message.reason === "stop" ? null : (message.message ?? "an error without a message");
      // The server would wait for another start.
      socket.close();
    }
    if (message.audio === undefined) return;
    const arrival = { atMs, bytes: message.audio.byteLength };
    arrivals.push(arrival);
    if (totalBytes < keepBytes) kept.push(message.audio);
    totalBytes += arrival.bytes;
    if (awaited !== null && totalBytes >= awaited.bytes) awaited.resolve(arrival);
  });
  socket.on("error", (error) => {
    problem = error.message;
  });
  const over = new Promise<string | null>((resolve) => socket.on("close", () => resolve(problem)));
  return {
    send: (text) => socket.send(encode({ event: "text", text })),
    flush: () => socket.send(encode({ event: "flush" })),
    stop: () => socket.send(encode({ event: "stop" })),
    arrivals,
    audio: () => Buffer.concat(kept),
    finishedAtMs: () => finishedAtMs,
    received: (bytes) =>
      new Promise((resolve, reject) => {
        awaited = { bytes, resolve };
        void over.then((reason) => reject(new Error(reason ?? "the stream ended before its sound came")));
      }),
    over,
  };
}
