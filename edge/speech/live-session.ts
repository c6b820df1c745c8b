import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import { frameLimits } from "#protocol/limits";
import { type LiveClientEvent, liveClientEvent, MAX_WAITING_TEXT_BYTES } from "#protocol/speech/live";
import { type SpeechRequest, speechRequest } from "#protocol/speech/request";
import type { SocketConnection, SocketSession } from "../http/exchange.js";
import { closeCodes } from "../http/close-codes.js";
import { FrameDecoder } from "../http/frame-decoder.js";
import { validate } from "../http/validation.js";
import { stallMs } from "#speech/chunking/pace";
import { TextSlices } from "#speech/chunking/text-turns";
import { livePacing } from "#speech/stream/stream-settings";
import type { Caller } from "./caller.js";
import type { SpeechContext } from "./context.js";
import { LiveOutput } from "./live-output.js";
import { planSpeech } from "./plan.js";
import { reuseWaitMs } from "./socket-reuse.js";
import { SpokenRequest } from "./spoken-request.js";

export interface LiveSessionOptions {
  context: SpeechContext;
  caller: Caller;
  connection: SocketConnection;
  /** Admits the caller anew, for a further `start`: his key or his credit may have ended since. */
  readmit(): Promise<Caller>;
}

type Stage = "waiting" | "starting" | "open" | "stopping" | "idle" | "over";

/**
 * One live WebSocket (docs/protocol.md "The live socket").
 *
 *     waiting ──start──► starting ──► open ──stop──► stopping ──last audio──► finish ──► idle ──no start──► close 1000
 *                           ▲                                                             │
 *                           └────────────────────────────start────────────────────────────┘
 *
 * Events are carried out one after the other, although starting takes time; text that waits for that counts towards the
 * bound. Whatever is wrong, whenever it is noticed, becomes one `finish` with reason `error`, then the close. What
 * comes between `stop` and `finish` is ignored, but for a `start`, which is carried out after `finish`. An idle socket
 * holds no place of its team.
 */
export class LiveSession implements SocketSession {
  readonly #options: LiveSessionOptions;
  readonly #frames: FrameDecoder;
  readonly #inbox: { event: LiveClientEvent; arrivedAtMs: number; bytes: number }[] = [];
  readonly #turns = new TextSlices();
  #output: LiveOutput;
  #inboxBytes = 0;
  #busy = false;
  #stage: Stage = "waiting";
  #spoken: SpokenRequest | null = null;
  #starts = 0;
  #lastWritten: "nothing" | "text" | "flush" = "nothing";
  #draining = false;
  #stallMs = 0;
  #cancelStall: (() => void) | null = null;
  #cancelIdle: (() => void) | null = null;
  /** Events that came, whether or not they were carried out yet; of `stop` the last that ends a `start`. */
  #startsCame = 0;
  #stopsCame = 0;
  #finishes = 0;
  #release: (() => void) | null = null;
  /** Ends the wait of a `start` that came before `finish`. */
  #endWait: (() => void) | null = null;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.#output = this.#newOutput();
    this.#frames = new FrameDecoder({
      encoding: "msgpack",
      maxFrameBytes: frameLimits.live,
      onFrame: (value) => this.#receive(value),
      onError: (error) => this.#refuse(error),
    });
    this.#attempt(() => {
      this.#release = options.context.teamSlots.take(options.caller.principal);
    });
    options.context.watchKey(options.caller.principal, options.connection.closed, (error) => this.#fail(error));
  }

  message(data: Uint8Array, isBinary: boolean): void {
    if (isBinary) this.#frames.push(data);
    else this.#frames.afterFrames(() => this.#refuse(violation("Frames are binary MessagePack maps")));
  }

  #receive(value: unknown): void {
    if (this.#stage === "over") return;
    const parsed = liveClientEvent.safeParse(value);
    if (this.#ignoresFrames && parsed.data?.event !== "start") return;
    this.#attempt(() => {
      const event = parsed.data ?? validate(liveClientEvent, value, []);
      const bytes = event.event === "text" ? Buffer.byteLength(event.text) : 0;
      this.#bound(event, bytes);
      this.#take(event, bytes);
    });
  }

  /** A frame that says nothing. */
  #refuse(error: ServiceError): void {
    if (!this.#ignoresFrames) this.#fail(error);
  }

  /** Between `stop` and `finish` nothing is read but a `start`, and what follows it. */
  get #ignoresFrames(): boolean {
    return this.#stopsCame === this.#startsCame && this.#stopsCame > this.#finishes;
  }

  end(): void {
    this.#leave();
    this.#spoken?.cancel();
  }

  /** The server is stopping: what was sent so far is spoken, then the session ends; one that is idle ends at once. */
  drain(): void {
    this.#frames.afterFrames(() => {
      this.#draining = true;
      if (this.#stage === "idle") this.#close(closeCodes.goingAway, "The server is shutting down");
      else if (this.#stage !== "over") this.#take({ event: "stop" }, 0);
    });
  }

  #take(event: LiveClientEvent, bytes: number): void {
    if (event.event === "start") this.#startsCame++;
    if (event.event === "stop") this.#stopsCame = this.#startsCame;
    this.#inboxBytes += bytes;
    this.#inbox.push({ event, bytes, arrivedAtMs: this.#options.context.clock.nowMs() });
    if (!this.#busy) void this.#work();
  }

  #bound(event: LiveClientEvent, bytes: number): void {
    // A start may hold megabytes of reference samples: one may wait behind the one that is carried out.
    if (event.event === "start" && this.#inbox.some((waiting) => waiting.event.event === "start"))
      throw violation('"start" came twice');
    const isWithin = bytes + this.#inboxBytes + (this.#spoken?.waitingBytes ?? 0) <= MAX_WAITING_TEXT_BYTES;
    if (!isWithin || this.#inbox.length >= limits.liveEvents.most)
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
    if (this.#stage === "stopping") {
      if (event.event !== "start") return;
      await new Promise<void>((resolve) => (this.#endWait = resolve));
    }
    if (this.#isOver()) return;
    if (event.event === "start") return await this.#start(event.request, arrivedAtMs);
    if (event.event === "stop") return this.#stop(arrivedAtMs);
    const spoken = this.#spoken;
    if (spoken === null) throw violation(`"${event.event}" came before "start"`);
    this.#cancelStall?.();
    if (event.event === "flush") return this.#flush(spoken, arrivedAtMs);
    await this.#speak(spoken, event.text, arrivedAtMs);
  }

  async #start(request: Record<string, unknown>, arrivedAtMs: number): Promise<void> {
    if (this.#spoken !== null) throw violation('"start" came twice');
    const { context, readmit } = this.#options;
    this.#cancelIdle?.();
    this.#stage = "starting";
    this.#lastWritten = "nothing";
    this.#starts++;
    const body: SpeechRequest = validate(speechRequest, { ...request, text: request.text ?? "" }, ["request"]);
    const caller = this.#starts === 1 ? this.#options.caller : await readmit();
    if (this.#isOver()) return;
    this.#release ??= context.teamSlots.take(caller.principal);
    const plan = await planSpeech({ request: body, caller, context, pacing: livePacing });
    // The client may have gone, or been refused, while its voice was looked up.
    if (this.#isOver()) return;
    this.#spoken = new SpokenRequest({ context, caller, plan, route: "/v1/tts/live", output: this.#output });
    this.#stage = "open";
    this.#stallMs = stallMs[plan.pace.latency];
    if (body.text !== "") await this.#speak(this.#spoken, body.text, arrivedAtMs);
  }

  #flush(spoken: SpokenRequest, arrivedAtMs: number): void {
    if (this.#lastWritten === "text") this.#lastWritten = "flush";
    spoken.flush(arrivedAtMs);
  }

  async #speak(spoken: SpokenRequest, text: string, arrivedAtMs: number): Promise<void> {
    if (text !== "") this.#lastWritten = "text";
    await this.#turns.spread(
      text,
      (slice) => spoken.text(slice, arrivedAtMs),
      () => this.#isOver(),
    );
    if (this.#isOver()) return;
    const { clock } = this.#options.context;
    this.#cancelStall = clock.after(this.#stallMs, () => spoken.releaseFinished(clock.nowMs()));
  }

  #stop(arrivedAtMs: number): void {
    if (this.#stage === "idle") return;
    this.#cancelStall?.();
    this.#stage = "stopping";
    if (this.#spoken === null) void this.#output.ended();
    else this.#spoken.end(arrivedAtMs);
  }

  /** `finish` has been sent: the team's place is free, and the client may start again. */
  #ended(): void {
    this.#finishes++;
    this.#release?.();
    this.#release = null;
    this.#spoken = null;
    const { context } = this.#options;
    const longestMs = this.#draining || this.#starts === 0 ? 0 : context.config.PARLEY_LIVE_REUSE_SECONDS * 1000;
    const waitMs = reuseWaitMs({ starts: this.#starts, isFlushed: this.#lastWritten === "flush", longestMs });
    if (waitMs === 0) return this.#close(closeCodes.normal, "");
    this.#stage = "idle";
    this.#output = this.#newOutput();
    if (this.#endWait === null)
      this.#cancelIdle = context.clock.after(waitMs, () => this.#close(closeCodes.normal, ""));
    else this.#stopWaiting();
  }

  #newOutput(): LiveOutput {
    return new LiveOutput({
      connection: this.#options.connection,
      onEnded: () => this.#ended(),
      onFailed: () => this.#leave(),
    });
  }

  #close(code: number, reason: string): void {
    this.#options.connection.close(code, reason);
    this.#leave();
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

  /** The session is over: by its own doing, or because the connection is gone. */
  #leave(): void {
    this.#stage = "over";
    this.#frames.stop();
    this.#inbox.length = 0;
    this.#cancelStall?.();
    this.#cancelIdle?.();
    this.#release?.();
    this.#stopWaiting();
  }

  #stopWaiting(): void {
    this.#endWait?.();
    this.#endWait = null;
  }
}

function violation(detail: string): ServiceError {
  return new ServiceError("protocol_violation", { parameters: { detail } });
}
