import { answerJson } from "#edge/http/answers";
import { readBody } from "#edge/http/body";
import type { HttpRoute, SocketConnection, SocketRoute, SocketSession } from "#edge/http/exchange";
import { FRAME_BYTES, FRAME_MS, monotonicMs, paths, type StreamOrder } from "./messages.js";

/** The same routes for both engines, as the edge writes its own. */
export const routes: readonly HttpRoute[] = [
  {
    method: "GET",
    path: paths.small,
    async handle(_request, responder) {
      answerJson(responder, 200, { status: "ok", streams: 12, version: "0.1.0", models: ["parley-en", "parley-de"] });
    },
  },
  {
    method: "POST",
    path: paths.posted,
    maxBodyBytes: 64 * 1024,
    async handle(request, responder) {
      const value = (await readBody(request, ["json"])) as { text: string };
      answerJson(responder, 200, { characters: value.text.length });
    },
  },
];

const idle = (): SocketSession => ({ message: () => undefined, end: () => undefined });

export const sockets: readonly SocketRoute[] = [
  { path: paths.idle, maxFrameBytes: 64 * 1024, upgrade: async () => idle },
  { path: paths.live, maxFrameBytes: 64 * 1024, upgrade: async () => playing },
];

/** Plays what a text frame orders, in real time. */
function playing(connection: SocketConnection): SocketSession {
  return {
    message: (data) => {
      const order = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()) as StreamOrder;
      void play(connection, order);
    },
    end: () => undefined,
  };
}

/** Sends each frame when it is due; it begins with when it was due and when it was sent. */
export async function play(
  connection: Pick<SocketConnection, "send" | "writable" | "closed">,
  { frames, startMs }: StreamOrder,
): Promise<void> {
  const audio = Buffer.alloc(FRAME_BYTES, "speech");
  for (let index = 0; index < frames; index++) {
    const dueMs = startMs + index * FRAME_MS;
    await until(dueMs);
    if (connection.closed.aborted) return;
    // An encoder gives fresh memory for each frame.
    const frame = Buffer.from(audio);
    frame.writeDoubleLE(dueMs, 0);
    frame.writeDoubleLE(monotonicMs(), 8);
    if (!connection.send(frame)) await connection.writable();
  }
}

function until(dueMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.ceil(dueMs - monotonicMs()))));
}
