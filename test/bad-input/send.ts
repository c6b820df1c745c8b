import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { decode } from "@msgpack/msgpack";
import WebSocket from "ws";
import type { HttpCase, LiveCase, RawCase } from "./case.js";

/** Where the cases go. */
export interface Target {
  port: number;
  apiKey: string;
  /** A voice that exists. */
  voiceId: string;
  /** An agent that was never published, and one that visitors from `https://shop.example` may talk to. */
  agentId?: string;
  publicAgentId?: string;
  /** A test of the type `next_reply` that exists. */
  testId?: string;
}

/** A path about what the target has, which it calls `{voice}`, `{agent}` and `{test}`. */
const pathFor = (path: string, { voiceId, agentId, testId }: Target): string =>
  path
    .replace("{voice}", voiceId)
    .replace("{agent}", agentId ?? "")
    .replace("{test}", testId ?? "");

/** A body about the agents of the target, which it calls `{agent}` and `{public}`. */
function bodyFor({ path, body }: HttpCase, { agentId, publicAgentId }: Target): Uint8Array | null {
  if (body === null || !path.startsWith("/v1/agent/sessions") || body.byteLength > 10_000) return body;
  const text = Buffer.from(body).toString("latin1");
  return Buffer.from(text.replace("{agent}", agentId ?? "").replace("{public}", publicAgentId ?? ""), "latin1");
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | undefined>;
  body: Buffer;
}

export interface RawAnswer {
  statuses: number[];
  text: string;
}

export interface LiveAnswer {
  finishes: { reason?: string; message?: unknown }[];
  audioBytes: number;
  closeCode: number;
  closeReason: string;
  left: boolean;
  /** HTTP status, when the upgrade was refused. */
  refusedWith: number | null;
}

/** Every case must be over by then, on a busy machine too: what takes longer hangs. */
const LIMIT_MS = 45_000;

/** Sends one request on a connection of its own. Rejects when it breaks off or takes too long. */
export function sendHttp(asked: HttpCase, target: Target): Promise<HttpAnswer> {
  // Kept alive: a server that may close at once after its answer resets a client that is still sending, and the answer
  // is lost.
  const headers: Record<string, string> = {
    authorization: `Bearer ${target.apiKey}`,
    connection: "keep-alive",
    ...asked.headers,
  };
  if (headers["authorization"] === "") delete headers["authorization"];
  const body = bodyFor(asked, target);
  if (body !== null && headers["transfer-encoding"] === undefined)
    headers["content-length"] ??= String(body.byteLength);
  const path = pathFor(asked.path, target);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: "127.0.0.1", port: target.port, method: asked.method, path, headers, agent: false },
      (answer) => {
        const pieces: Buffer[] = [];
        let bytes = 0;
        const done = (): void => {
          clearTimeout(timer);
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers as HttpAnswer["headers"],
            body: Buffer.concat(pieces),
          });
          sent.destroy();
        };
        answer.on("data", (piece: Buffer) => {
          pieces.push(piece);
          bytes += piece.byteLength;
          if (bytes >= (asked.leaveAfterBytes ?? Number.POSITIVE_INFINITY)) done();
        });
        answer.on("end", done);
        answer.on("error", reject);
      },
    );
    const timer = setTimeout(() => {
      reject(new Error("it hangs"));
      sent.destroy();
    }, LIMIT_MS);
    sent.on("error", (cause) => {
      clearTimeout(timer);
      reject(cause);
    });
    sent.end(body ?? undefined);
  });
}

/** Sends bytes and collects what comes until the server ends the connection. Rejects when it does not. */
export function sendRaw(asked: RawCase, target: Target): Promise<RawAnswer> {
  const bytes = Buffer.from(Buffer.from(asked.bytes).toString("latin1").replaceAll("{key}", target.apiKey), "latin1");
  return new Promise((resolve, reject) => {
    const socket = connect(target.port, "127.0.0.1");
    const pieces: Buffer[] = [];
    const timer = setTimeout(() => {
      reject(new Error(`it hangs after ${Buffer.concat(pieces).toString("latin1").slice(0, 200)}`));
      socket.destroy();
    }, LIMIT_MS);
    let answered = false;
    socket.on("data", (piece: Buffer) => {
      pieces.push(piece);
      if (answered || !Buffer.concat(pieces).includes("\r\n\r\n")) return;
      answered = true;
      if (asked.leaveAfterAnswer === true) socket.destroy();
      else if (asked.afterUpgrade !== undefined) write(asked.afterUpgrade);
    });
    socket.on("error", () => undefined); // a reset ends the connection as well as anything
    socket.on("close", () => {
      clearTimeout(timer);
      const text = Buffer.concat(pieces).toString("latin1");
      resolve({ statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)), text });
    });
    const write = (sent: Uint8Array): void => void (asked.halfClose ? socket.end(sent) : socket.write(sent));
    if (asked.afterUpgrade === undefined) write(bytes);
    else socket.write(bytes);
  });
}

/** Runs one live client to the close of its socket. Rejects when that does not come. */
export function sendLive(asked: LiveCase, target: Target): Promise<LiveAnswer> {
  const headers = { authorization: `Bearer ${target.apiKey}`, ...asked.headers };
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${target.port}/v1/tts/live`, { headers });
    const answer: LiveAnswer = {
      finishes: [],
      audioBytes: 0,
      closeCode: 0,
      closeReason: "",
      left: false,
      refusedWith: null,
    };
    const timer = setTimeout(() => {
      reject(new Error(`it hangs: ${JSON.stringify(answer)}`));
      socket.terminate();
    }, LIMIT_MS);
    socket.on("open", () => {
      for (const step of asked.steps) {
        if (step === "leave") {
          answer.left = true;
          socket.terminate();
        } else if (typeof step === "object" && "pings" in step) {
          for (let index = 0; index < step.pings; index++) socket.ping("x");
        } else socket.send(step);
      }
    });
    socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) return reject(new Error("the server sent a text frame"));
      const event = readLiveEvent(data);
      if (event.event === "audio") answer.audioBytes += event.audio?.byteLength ?? 0;
      if (event.event === "finish") answer.finishes.push({ reason: event.reason, message: event.message });
    });
    socket.on("unexpected-response", (_request, refusal) => {
      answer.refusedWith = refusal.statusCode ?? 0;
      clearTimeout(timer);
      resolve(answer);
      refusal.destroy();
    });
    socket.on("error", () => undefined); // the close says what is to be known
    socket.on("close", (code, reason) => {
      clearTimeout(timer);
      resolve({ ...answer, closeCode: code, closeReason: reason.toString() });
    });
  });
}

/** A server event of the live WebSocket, as far as it is judged. */
function readLiveEvent(data: Uint8Array): { event: string; audio?: Uint8Array; reason?: string; message?: unknown } {
  return decode(data) as { event: string };
}
