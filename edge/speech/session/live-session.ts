import { setImmediate as nextTurn } from "node:timers/promises";
import { ServiceError } from "#protocol/errors";
import { type LiveClientEvent, liveClientEvent, MAX_WAITING_TEXT_BYTES } from "#protocol/speech/live";
import { type SpeechRequest, speechRequest } from "#protocol/speech/request";
import { decodeMsgpack } from "#protocol/msgpack";
import type { SocketConnection, SocketSession } from "../../http/exchange.js";
import { validate } from "../../http/validation.js";
import { stallMs } from "../chunking/pace.js";
import { livePacing } from "../stream/stream-settings.js";
import type { Caller } from "./caller.js";
import type { SpeechContext } from "./context.js";
import { LiveOutput } from "./live-output.js";
import { planSpeech } from "./plan.js";
import { SpokenRequest } from "./spoken-request.js";

/** Text chunked in one turn of the event loop. */
const SLICE_CHARACTERS = 8192;

/**
 * One live WebSocket (protocols.md 1.2).
 *
 *     waiting ──start──► open ──stop──► stopping ──last sound──► finish, close 1000
 *
 * Events are carried out one after the other, although starting takes time; text that waits for that counts towards the bound. Whatever
 * is wrong, whenever it is noticed, becomes one `finish` with reason `error`, then the close. What comes after `stop` is ignored.
 */
export class LiveSession implements SocketSession {
  readonly #options: { context: SpeechContext; caller: Caller; connection: SocketConnection };
  readonly #output: LiveOutput;
  readonly #inbox: { event: LiveClientEvent; arrivedAtMs: number; bytes: number }[] = [];
  #inboxBytes = 0;
  #busy = false;
  #stage: "waiting" | "open" | "stopping" | "over" = "waiting";
  #spoken: SpokenRequest | null = null;
  #stallMs = 0;
  #cancelStall: (() => void) | null = null;
  #release: (() => void) | null = null;

  constructor(options: { context: SpeechContext; caller: Caller; connection: SocketConnection }) {
    this.#options = options;
    this.#output = new LiveOutput(options.connection, () => this.#leave());
    this.#attempt(() => {
      this.#release = options.context.teamSlots.take(options.caller.principal);
    });
  }

  message(data: Uint8Array, isBinary: boolean): void {
    if (this.#stage === "over" || this.#stage === "stopping") return;
    this.#attempt(() => {
      const event = readEvent(data, isBinary);
      const bytes = event.event === "text" ? Buffer.byteLength(event.text) : 0;
      this.#boundText(bytes);
      this.#inboxBytes += bytes;
      this.#inbox.push({ event, bytes, arrivedAtMs: this.#options.context.clock.nowMs() });
      if (!this.#busy) void this.#work();
    });
  }

  end(): void {
    this.#leave();
    this.#spoken?.cancel();
  }

  /** The server is stopping: what was sent so far is spoken, then the session ends as after `stop`. */
  drain(): void {
    this.#inbox.push({ event: { event: "stop" }, bytes: 0, arrivedAtMs: this.#options.context.clock.nowMs() });
    if (!this.#busy) void this.#work();
  }

  #boundText(bytes: number): void {
    if (bytes + this.#inboxBytes + (this.#spoken?.waitingBytes ?? 0) <= MAX_WAITING_TEXT_BYTES) return;
    throw new ServiceError("text_buffer_full", { parameters: { limitBytes: MAX_WAITING_TEXT_BYTES } });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (let item = this.#inbox.shift(); item !== undefined; item = this.#inbox.shift()) {
      try {
        await this.#handle(item.event, item.arrivedAtMs);
      } catch (error) {
        this.#fail(error);
      }
      this.#inboxBytes -= item.bytes;
    }
    this.#busy = false;
  }

  async #handle(event: LiveClientEvent, arrivedAtMs: number): Promise<void> {
    if (this.#stage === "over" || this.#stage === "stopping") return;
    if (event.event === "start") return await this.#start(event.request, arrivedAtMs);
    if (event.event === "stop") return this.#stop(arrivedAtMs);
    const spoken = this.#spoken;
    if (spoken === null) throw violation(`"${event.event}" came before "start"`);
    this.#cancelStall?.();
    if (event.event === "flush") return spoken.flush(arrivedAtMs);
    await this.#speak(spoken, event.text, arrivedAtMs);
  }

  async #start(request: Record<string, unknown>, arrivedAtMs: number): Promise<void> {
    if (this.#spoken !== null) throw violation('"start" came twice');
    const { context, caller } = this.#options;
    const body: SpeechRequest = validate(speechRequest, { ...request, text: request.text ?? "" }, ["request"]);
    const plan = await planSpeech({ request: body, caller, context, pacing: livePacing });
    // The client may have gone, or been refused, while its voice was looked up.
    if (this.#isOver()) return;
    this.#spoken = new SpokenRequest({ context, caller, plan, route: "/v1/tts/live", output: this.#output });
    this.#stage = "open";
    this.#stallMs = stallMs[plan.pace.latency];
    if (body.text !== "") await this.#speak(this.#spoken, body.text, arrivedAtMs);
  }

  async #speak(spoken: SpokenRequest, text: string, arrivedAtMs: number): Promise<void> {
    for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
      if (at > 0) await nextTurn();
      if (this.#isOver()) return;
      spoken.text(text.slice(at, at + SLICE_CHARACTERS), arrivedAtMs);
    }
    const { clock } = this.#options.context;
    this.#cancelStall = clock.after(this.#stallMs, () => spoken.releaseFinished(clock.nowMs()));
  }

  #stop(arrivedAtMs: number): void {
    this.#cancelStall?.();
    this.#stage = "stopping";
    if (this.#spoken === null) void this.#output.ended();
    else this.#spoken.end(arrivedAtMs);
  }

  #isOver(): boolean {
    return this.#stage === "over";
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#stage === "over") return;
    const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
    if (known.code === "internal") this.#options.context.log.error({ err: error }, "a live session failed");
    this.#spoken?.cancel("failed");
    this.#output.failed(known);
  }

  /** The session is over: by its own finish, or because the connection is gone. */
  #leave(): void {
    this.#stage = "over";
    this.#inbox.length = 0;
    this.#cancelStall?.();
    this.#release?.();
  }
}

function readEvent(data: Uint8Array, isBinary: boolean): LiveClientEvent {
  if (!isBinary) throw violation("Frames are binary MessagePack maps");
  let value: unknown;
  try {
    value = decodeMsgpack(data);
  } catch (cause) {
    throw new ServiceError("malformed_msgpack", { cause });
  }
  return validate(liveClientEvent, value, []);
}

function violation(detail: string): ServiceError {
  return new ServiceError("protocol_violation", { parameters: { detail } });
}
