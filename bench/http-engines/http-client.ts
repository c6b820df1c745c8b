import { connect, type Socket } from "node:net";
import { paths } from "./messages.js";

/** What a connection of the generator reads into: what arrived is looked at before the next is read. */
const arrived = Buffer.allocUnsafe(256 * 1024);

/** Connects to a server on this machine; `onBytes` gets what arrives and may not hold on to it. */
export function dial(port: number, onBytes: (bytes: Buffer) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const onread = {
      buffer: arrived,
      callback: (bytes: number, buffer: Uint8Array): boolean => {
        onBytes((buffer as Buffer).subarray(0, bytes));
        return true;
      },
    };
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread }, () => resolve(socket));
    socket.once("error", reject);
  });
}

const head = "Host: 127.0.0.1\r\nAccept: */*\r\nAuthorization: Bearer 0123456789abcdef0123456789abcdef\r\n";

/** A body of 2 KB, JSON as the speech routes take it. */
const body = ((): string => {
  const empty = JSON.stringify({ text: "", format: "pcm", sample_rate: 24_000, latency: "low" });
  const text = "The quick brown fox jumps over the lazy dog. ".repeat(50).slice(0, 2048 - empty.length);
  return JSON.stringify({ text, format: "pcm", sample_rate: 24_000, latency: "low" });
})();

export const requests = {
  get: Buffer.from(`GET ${paths.small} HTTP/1.1\r\n${head}\r\n`),
  post: Buffer.from(
    `POST ${paths.posted} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ),
};

/**
 * Reads answers with a content length, one after the other, with as little work as possible: after the first, which is
 * parsed, all are as long as it.
 */
export class AnswerReader {
  #answerBytes = 0;
  #left = 0;
  #first = "";
  errors = 0;

  /** Whether an answer is complete with these bytes. Nothing may follow it: the next was not asked for yet. */
  take(bytes: Buffer): boolean {
    if (this.#answerBytes === 0) return this.#takeFirst(bytes);
    if (this.#left === 0) {
      this.#left = this.#answerBytes;
      // "HTTP/1.1 200"
      if (bytes[9] !== 0x32 || bytes[10] !== 0x30 || bytes[11] !== 0x30) this.errors++;
    }
    this.#left -= bytes.byteLength;
    if (this.#left < 0) {
      this.errors++;
      this.#left = 0;
    }
    return this.#left === 0;
  }

  #takeFirst(bytes: Buffer): boolean {
    this.#first += bytes.toString("latin1");
    const headBytes = this.#first.indexOf("\r\n\r\n") + 4;
    if (headBytes === 3) return false;
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(this.#first)?.[1];
    if (!this.#first.startsWith("HTTP/1.1 200 ") || length === undefined) this.errors++;
    const answerBytes = headBytes + Number(length ?? 0);
    if (this.#first.length < answerBytes) return false;
    this.#answerBytes = answerBytes;
    return true;
  }
}
