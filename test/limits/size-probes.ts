import { type ClientRequest, request } from "node:http";
import WebSocket from "ws";
import type { SizedOperation } from "#protocol/operations/sized-operations";
import { encodeMsgpack } from "#protocol/msgpack";
import type { TestCluster } from "../harness/cluster.js";

const PIECE_BYTES = 1024 * 1024;
const piece = Buffer.alloc(PIECE_BYTES, 0x20);

/** Opens a request; gives it, and the status of its answer. */
function open(
  cluster: TestCluster,
  { method, path }: SizedOperation,
  more: Record<string, string | number>,
): { sent: ClientRequest; status: Promise<number> } {
  const { hostname, port } = new URL(cluster.baseUrl);
  // Kept alive: a server that may close at once after its answer resets a client that is still sending, and the answer
  // is lost.
  const headers = {
    authorization: `Bearer ${cluster.apiKey}`,
    "content-type": contentTypeOf(path),
    connection: "keep-alive",
    ...more,
  };
  const sent = request({ hostname, port, method, path: path.replace(/:\w+/g, "0"), headers, agent: false });
  const status = new Promise<number>((resolve, reject) => {
    sent.on("response", (answer) => {
      resolve(answer.statusCode ?? 0);
      sent.destroy();
    });
    sent.on("error", reject);
  });
  return { sent, status };
}

/** Says how long a body will be, and sends none of it; gives the status. */
export function announceBody(cluster: TestCluster, operation: SizedOperation, bytes: number): Promise<number> {
  const { sent, status } = open(cluster, operation, { "content-length": bytes });
  sent.flushHeaders();
  return status;
}

/** Sends a body of blanks without saying how long it will be; gives the status. */
export function sendBody(cluster: TestCluster, operation: SizedOperation, bytes: number): Promise<number> {
  const { sent, status } = open(cluster, operation, {});
  let left = bytes;
  const write = (): void => {
    while (left > 0 && !sent.destroyed) {
      const part = piece.subarray(0, Math.min(left, PIECE_BYTES));
      left -= part.byteLength;
      if (!sent.write(part) && left > 0) return void sent.once("drain", write);
    }
    sent.end();
  };
  write();
  return status;
}

/** What the operation takes: nothing is read of a body in another encoding. */
function contentTypeOf(path: string): string {
  return /asr$|transcriptions$|speech-to-text$|knowledge-sources(\/:source_id)?$/.test(path)
    ? "multipart/form-data; boundary=B"
    : "application/json";
}

/**
 * Sends one frame that says nothing that counts; gives the close code, or "open" when an answer came or the socket
 * stayed open after it.
 */
export function sendFrame(cluster: TestCluster, { path }: SizedOperation, bytes: number): Promise<number | "open"> {
  return new Promise((resolve, reject) => {
    const isLive = path === "/v1/tts/live";
    const query = /stream-input$/.test(path) ? "?output_format=pcm_8000" : "";
    const socket = new WebSocket(
      `${cluster.baseUrl.replace("http", "ws")}${path.replace(/:\w+/g, "default")}${query}`,
      { headers: { authorization: `Bearer ${cluster.apiKey}`, "xi-api-key": cluster.apiKey } },
    );
    socket.on("open", () => {
      socket.send(isLive ? liveFrame(bytes) : `{"text":" ","type":"nothing","padding":"${"a".repeat(bytes - 42)}"}`);
      // Its pong comes after whatever the frame did.
      socket.ping();
    });
    socket.on("pong", () => {
      resolve("open");
      socket.terminate();
    });
    socket.on("close", (code) => resolve(code));
    socket.on("error", reject);
  });
}

/** A `start` that is exactly so long. */
function liveFrame(bytes: number): Uint8Array {
  const frame = (padding: number): Uint8Array =>
    encodeMsgpack({ event: "start", request: { text: "", format: "pcm", padding: new Uint8Array(padding) } });
  return frame(bytes - (frame(100_000).byteLength - 100_000));
}
