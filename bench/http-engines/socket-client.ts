import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { dial } from "./http-client.js";
import { FRAME_BYTES } from "./messages.js";

/** Head of an unmasked binary frame of `FRAME_BYTES` (RFC 6455 section 5.2). */
const frameHead = Buffer.from([0x82, 126, FRAME_BYTES >> 8, FRAME_BYTES & 0xff]);

/** A WebSocket of the generator, which costs as little as possible: it knows one kind of frame. */
export interface RawWebSocket {
  socket: Socket;
  /** Takes each frame's audio; may not hold on to it. */
  onFrame: (audio: Buffer) => void;
  /** Whether something arrived that is no such frame, or the connection ended. */
  isBroken: boolean;
}

/** Opens a WebSocket. Rejects when the server does not switch protocols. */
export async function openRawWebSocket(port: number, path: string): Promise<RawWebSocket> {
  let isOpen = false;
  let head = "";
  let settle: { resolve: () => void; reject: (error: Error) => void };
  const opened = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  const frame = Buffer.alloc(frameHead.length + FRAME_BYTES);
  let filled = 0;
  const takeFrames = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.byteLength; ) {
      const taken = bytes.copy(frame, filled, at);
      at += taken;
      filled += taken;
      if (filled < frame.byteLength) return;
      filled = 0;
      if (frame.compare(frameHead, 0, frameHead.length, 0, frameHead.length) !== 0) webSocket.isBroken = true;
      else webSocket.onFrame(frame.subarray(frameHead.length));
    }
  };
  const socket = await dial(port, (bytes) => {
    if (isOpen) return takeFrames(bytes);
    head += bytes.toString("latin1");
    if (!head.endsWith("\r\n\r\n")) return;
    isOpen = true;
    if (head.startsWith("HTTP/1.1 101 ")) settle.resolve();
    else settle.reject(new Error(`no WebSocket: ${head.slice(0, 100)}`));
  });
  const webSocket: RawWebSocket = { socket, onFrame: () => undefined, isBroken: false };
  socket.on("close", () => (webSocket.isBroken = true));
  socket.on("error", () => (webSocket.isBroken = true));
  const key = randomBytes(16).toString("base64");
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  await opened;
  return webSocket;
}

/** Sends a text of up to 125 bytes. Its mask is zero, which leaves the bytes as they are. */
export function sendText({ socket }: RawWebSocket, text: string): void {
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]));
}
