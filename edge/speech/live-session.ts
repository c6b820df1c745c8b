import { ServiceError } from "#protocol/errors";
import { frameLimits } from "#protocol/limits";
import { type LiveClientEvent, liveClientEvent } from "#protocol/speech/live";
import { speechRequest } from "#protocol/speech/request";
import type { SocketConnection, SocketSession } from "../http/exchange.js";
import { closeCodes } from "../http/close-codes.js";
import { FrameDecoder } from "../http/frame-decoder.js";
import { validate } from "../http/validation.js";
import type { Caller } from "./caller.js";
import type { SpeechContext } from "./context.js";
import { LiveOutput } from "./live-output.js";
import { reuseWaitMs } from "./socket-reuse.js";
import { type PreparedInput, TextInput } from "./text-input.js";

type LiveStart = Extract<LiveClientEvent, { event: "start" }>;

/** A start may hold megabytes of reference samples: two may wait behind the one that is carried out. */
const MOST_STARTS = 3;

export interface LiveSessionOptions {
  context: SpeechContext;
  caller: Caller;
  connection: SocketConnection;
  /** Admits the caller anew, for a further `start`: his key or his credit may have ended since. */
  readmit(): Promise<Caller>;
}

/**
 * One live WebSocket (docs/protocol.md "The live socket").
 *
 *     waiting ──start──► speaking ──stop──► stopping ──last audio──► finish ──► idle ──no other start──► close 1000
 *                           ▲                                                     │
 *                           └────────────────────────start────────────────────────┘
 *
 * Whatever is wrong, whenever it is noticed, becomes one `finish` with reason `error`, then the close. What comes
 * between `stop` and `finish` is ignored, but for a `start`, which begins after `finish` with what follows it. An idle
 * socket holds no place of its team.
 */
export class LiveSession implements SocketSession {
  readonly #options: LiveSessionOptions;
  readonly #frames: FrameDecoder;
  /** One for each `start` without a `finish`; the first is being spoken. */
  readonly #inputs: TextInput[] = [];
  #output: LiveOutput;
  /** Starts that began. */
  #starts = 0;
  #isOver = false;
  #isDraining = false;
  #cancelIdle: (() => void) | null = null;
  #release: (() => void) | null = null;

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

  end(): void {
    this.#leave();
    for (const input of this.#inputs) input.cancel();
  }

  /**
   * The server is stopping: what a client is still writing is spoken, within bounds, then the session ends; one that is
   * idle ends at once.
   */
  drain(): void {
    this.#frames.afterFrames(() => {
      this.#isDraining = true;
      if (this.#isOver) return;
      const input = this.#inputs.at(-1);
      if (input !== undefined) return input.drain();
      if (this.#starts > 0) this.#close(closeCodes.goingAway, "The server is shutting down");
      else this.#stop();
    });
  }

  #receive(value: unknown): void {
    const parsed = liveClientEvent.safeParse(value);
    if (this.#isOver || (this.#ignoresFrames && parsed.data?.event !== "start")) return;
    this.#attempt(() => this.#take(parsed.data ?? validate(liveClientEvent, value, [])));
  }

  /** A frame that says nothing. */
  #refuse(error: ServiceError): void {
    if (!this.#ignoresFrames) this.#fail(error);
  }

  /** Between `stop` and `finish` nothing is read but a `start`, and what follows it. */
  get #ignoresFrames(): boolean {
    return this.#inputs.at(-1)?.isEnding === true;
  }

  #take(event: LiveClientEvent): void {
    if (event.event === "start") return this.#start(event);
    if (event.event === "stop") return this.#stop();
    const input = this.#inputs.at(-1);
    if (input === undefined) throw violation(`"${event.event}" came before "start"`);
    if (event.event === "flush") input.flush();
    else input.text(event.text);
  }

  #start(event: LiveStart): void {
    const isSpeaking = this.#inputs.length > 0 && !this.#ignoresFrames;
    if (isSpeaking || this.#inputs.length >= MOST_STARTS) throw violation('"start" came twice');
    this.#inputs.push(
      new TextInput({
        context: this.#options.context,
        route: "/v1/tts/live",
        prepare: () => this.#prepare(event),
        onError: (error) => this.#fail(error),
        waitingBytes: () => this.#inputs.reduce((sum, input) => sum + input.waitingBytes, 0),
      }),
    );
    if (this.#inputs.length === 1) this.#begin();
  }

  /** Begins to speak the first of the starts. */
  #begin(): void {
    this.#cancelIdle?.();
    this.#starts++;
    this.#inputs[0]?.begin();
  }

  async #prepare({ request, timestamps }: LiveStart): Promise<PreparedInput> {
    this.#output.wantsTimestamps = timestamps === true;
    const { context, readmit } = this.#options;
    const body = validate(speechRequest, { ...request, text: request["text"] ?? "" }, ["request"]);
    const caller = this.#starts === 1 ? this.#options.caller : await readmit();
    // The client may have gone, or been refused, while it was admitted.
    if (!this.#isOver) this.#release ??= context.teamSlots.take(caller.principal);
    return { caller, request: body, output: this.#output };
  }

  #stop(): void {
    const input = this.#inputs.at(-1);
    if (input !== undefined) return input.end();
    if (this.#starts > 0) return;
    this.#isOver = true;
    void this.#output.ended();
  }

  /** `finish` has been sent: the team's place is free, and the client may start again. */
  #ended(): void {
    const isFlushed = this.#inputs.shift()?.isFlushed === true;
    this.#release?.();
    this.#release = null;
    const { context } = this.#options;
    const longestMs = this.#isDraining || this.#starts === 0 ? 0 : context.config.PARLEY_LIVE_REUSE_SECONDS * 1000;
    const waitMs = reuseWaitMs({ starts: this.#starts, isFlushed, longestMs });
    if (waitMs === 0) return this.#close(closeCodes.normal, "");
    this.#output = this.#newOutput();
    if (this.#inputs.length > 0) this.#begin();
    else this.#cancelIdle = context.clock.after(waitMs, () => this.#close(closeCodes.normal, ""));
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

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
    if (known.code === "internal") this.#options.context.log.error({ err: error }, "a live session failed");
    for (const input of this.#inputs) input.cancel("failed");
    this.#output.failed(known);
  }

  /** The session is over: by its own doing, or because the connection is gone. */
  #leave(): void {
    this.#isOver = true;
    this.#frames.stop();
    for (const input of this.#inputs) input.stop();
    this.#cancelIdle?.();
    this.#release?.();
  }
}

function violation(detail: string): ServiceError {
  return new ServiceError("protocol_violation", { parameters: { detail } });
}
