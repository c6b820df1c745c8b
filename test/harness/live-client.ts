import { decode, encode } from "@msgpack/msgpack";
import WebSocket from "ws";

/** What one live stream gave, up to its end. */
export interface LiveResult {
  audio: Uint8Array;
  /** Sizes of the audio frames, bytes, in order. */
  frameBytes: number[];
  /** Milliseconds from the first text to each frame. */
  frameAtMs: number[];
  finish: { reason: string; message?: string } | null;
  closeCode: number;
}

export interface LiveOptions {
  baseUrl: string;
  apiKey: string;
  model?: string;
  request?: Record<string, unknown>;
  /** Sent right after `start`, in this order. A string is a text event. */
  events: (string | { event: string } | Uint8Array)[];
  headers?: Record<string, string>;
  /** Called with the size of each audio frame as it comes. */
  onAudio?: (bytes: number) => void;
}

/**
 * A raw live WebSocket client: sends its events at once, resolves when the socket has closed. Rejects when the upgrade
 * is refused.
 */
export function speakLive(options: LiveOptions): Promise<LiveResult> {
  return new Promise((resolve, reject) => {
    const socket = openLive(options);
    const result: LiveResult = { audio: new Uint8Array(), frameBytes: [], frameAtMs: [], finish: null, closeCode: 0 };
    const parts: Uint8Array[] = [];
    let startedAtMs = 0;
    socket.on("open", () => {
      socket.send(encode({ event: "start", request: { text: "", ...options.request } }));
      startedAtMs = performance.now();
      for (const event of options.events) {
        if (event instanceof Uint8Array) socket.send(event);
        else socket.send(encode(typeof event === "string" ? { event: "text", text: event } : event));
      }
    });
    socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) return reject(new Error("the server sent a text frame"));
      const message = decode(data) as { event: string; audio?: Uint8Array; reason?: string; message?: string };
      if (message.event === "audio" && message.audio instanceof Uint8Array) {
        parts.push(message.audio);
        result.frameBytes.push(message.audio.byteLength);
        result.frameAtMs.push(performance.now() - startedAtMs);
        options.onAudio?.(message.audio.byteLength);
      } else if (message.event === "finish") {
        result.finish = {
          reason: message.reason ?? "",
          ...(message.message === undefined ? {} : { message: message.message }),
        };
      }
    });
    socket.on("error", reject);
    socket.on("close", (code) => resolve({ ...result, audio: Buffer.concat(parts), closeCode: code }));
  });
}

/** How often a client asks again after a refusal, and how long it waits before. */
const MOST_TRIES = 40;
const RETRY_MS = 250;

/**
 * The same for a client that asks again when it is refused for want of capacity, before any audio: for tests of what
 * becomes of streams that were begun, on machines that may be slow.
 */
export async function speakLiveWhenAdmitted(options: LiveOptions): Promise<LiveResult> {
  for (let tries = 1; ; tries++) {
    const result = await speakLive(options);
    const isRefused = result.audio.byteLength === 0 && result.finish?.message?.includes("capacity is in use") === true;
    if (!isRefused || tries === MOST_TRIES) return result;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** An authenticated socket on `/v1/tts/live`, for tests that drive it themselves. */
export function openLive(options: Pick<LiveOptions, "baseUrl" | "apiKey" | "model" | "headers">): WebSocket {
  return new WebSocket(`${options.baseUrl.replace(/^http/, "ws")}/v1/tts/live`, {
    headers: {
      Authorization: `Bearer ${options.apiKey}`,
      ...(options.model === undefined ? {} : { model: options.model }),
      ...options.headers,
    },
  });
}
