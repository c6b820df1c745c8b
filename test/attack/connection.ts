import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import type { Target } from "./attack.js";

/** A raw connection of an attacker. */
export interface RawConnection {
  socket: Socket;
  /** Resolves when it is gone, whoever ended it. */
  closed: Promise<void>;
  /** Sends as fast as the server takes it; false when the connection is gone. */
  send(bytes: string | Uint8Array): Promise<boolean>;
  /** Bytes received. */
  receivedBytes(): number;
}

/** Opens a raw connection that ends with `signal`. One that `isDeaf` never reads. */
export function openRaw(target: Pick<Target, "host" | "port">, signal: AbortSignal, isDeaf = false): RawConnection {
  const socket = connect(target.port, target.host);
  let receivedBytes = 0;
  let isGone = false;
  // A reset is what most of these connections are for.
  socket.on("error", () => socket.destroy());
  const closed = new Promise<void>((resolve) =>
    socket.once("close", () => {
      isGone = true;
      resolve();
    }),
  );
  if (isDeaf) socket.pause();
  else socket.on("data", (piece) => (receivedBytes += piece.length));
  signal.addEventListener("abort", () => socket.destroy(), { once: true });
  if (signal.aborted) socket.destroy();
  return {
    socket,
    closed,
    receivedBytes: () => receivedBytes,
    async send(bytes) {
      if (isGone || socket.destroyed) return false;
      if (!socket.write(bytes)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
      return !isGone;
    },
  };
}

/** Opens a WebSocket that ends with `signal`; null where the server refuses it. */
export async function openSocket(
  target: Target,
  options: { path: string; headers?: Record<string, string> },
  signal: AbortSignal,
): Promise<WebSocket | null> {
  if (signal.aborted) return null;
  const socket = new WebSocket(`ws://${target.host}:${target.port}${options.path}`, {
    headers: options.headers ?? {},
    perMessageDeflate: false,
  });
  signal.addEventListener("abort", () => socket.terminate(), { once: true });
  return await new Promise((resolve) => {
    socket.once("open", () => resolve(socket));
    socket.once("error", () => resolve(null));
    socket.on("error", () => socket.terminate());
    socket.once("close", () => resolve(null));
  });
}

/** Resolves when a WebSocket is closed, with its close code. */
export function closeOf(socket: WebSocket): Promise<number> {
  return socket.readyState === WebSocket.CLOSED
    ? Promise.resolve(1006)
    : new Promise((resolve) => socket.once("close", resolve));
}

/** Asks over a connection of its own; null where there was no answer. */
export async function ask(
  target: Target,
  path: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    const response = await fetch(`http://${target.host}:${target.port}${path}`, { ...init, signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null; // broken off, by the server or by the end of the attack
  }
}

/** The header of a good key. */
export const authorized = (target: Target): Record<string, string> => ({ authorization: `Bearer ${target.apiKey}` });

/** Runs `count` of the same at once, each again and again until `signal` aborts. */
export async function repeatedly(
  count: number,
  signal: AbortSignal,
  once: (lane: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, lane) => {
      while (!signal.aborted) {
        const startedAtMs = performance.now();
        await once(lane);
        // One that is refused at once would otherwise never let go of the processor.
        if (performance.now() - startedAtMs < 5) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }),
  );
}
