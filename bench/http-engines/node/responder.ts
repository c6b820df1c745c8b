import type { ServerResponse } from "node:http";
import type { HttpResponder } from "#edge/http/exchange";

const nothing = new Uint8Array(0);

/** One answer over the response of `node:http`. */
export class NodeResponder implements HttpResponder {
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  readonly #gone = new AbortController();
  #head: { status: number; headers: Record<string, string> } | null = null;
  #state: "open" | "ended" | "over" = "open";
  #waiting: (() => void)[] = [];

  /** A client that takes nothing for `stallMs` is disconnected. */
  constructor(response: ServerResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
    // As the product's answers are.
    response.sendDate = false;
    response.on("close", () => this.#closed());
  }

  get begun(): boolean {
    return this.#head !== null;
  }

  get closed(): AbortSignal {
    return this.#gone.signal;
  }

  begin(status: number, headers: Record<string, string>): void {
    this.#head ??= { status, headers };
  }

  write(bytes: Uint8Array): boolean {
    if (this.#state !== "open" || bytes.byteLength === 0) return !this.#isBehind();
    if (!this.#response.headersSent) this.#sendHead(this.#head?.headers ?? {});
    // What the socket does not take at once is held by reference, and the caller may use its memory again.
    const wasBehind = this.#isBehind();
    if (this.#response.write(Buffer.from(bytes))) return true;
    if (!wasBehind) {
      this.#watchStall();
      this.#response.once("drain", () => this.#caughtUp());
    }
    return false;
  }

  writable(): Promise<void> {
    if (!this.#isBehind()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  end(bytes: Uint8Array = nothing): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    if (!this.#response.headersSent) this.#sendHead(this.#withLength(bytes.byteLength));
    this.#response.end(bytes);
    if (this.#response.writableLength > 0) this.#watchStall();
  }

  abort(): void {
    if (this.#state !== "over") this.#response.destroy();
  }

  /** The connection became something else, a WebSocket. */
  detach(): void {
    this.#state = "over";
  }

  #sendHead(headers: Record<string, string | number>): void {
    this.#response.writeHead(this.#head?.status ?? 200, headers);
  }

  #withLength(bytes: number): Record<string, string | number> {
    const headers = this.#head?.headers ?? {};
    const status = this.#head?.status ?? 200;
    if (status === 204 || status === 304) return headers;
    const isHead = this.#response.req.method === "HEAD";
    return { ...headers, "content-length": (isHead ? headers["content-length"] : undefined) ?? bytes };
  }

  #isBehind(): boolean {
    return this.#state === "open" && this.#response.writableNeedDrain;
  }

  /** `node:http` disconnects when the time is over in which nothing was sent, and takes it back itself at the end. */
  #watchStall(): void {
    this.#response.socket?.setTimeout(this.#stallMs);
  }

  #caughtUp(): void {
    this.#response.socket?.setTimeout(0);
    this.#release();
  }

  #closed(): void {
    if (this.#state === "over") return;
    const isComplete = this.#response.writableFinished;
    this.#state = "over";
    this.#release();
    if (!isComplete) this.#gone.abort();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
