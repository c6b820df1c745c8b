import { ServiceError } from "#protocol/errors";
import { MAX_WAITING_TEXT_BYTES, MIN_AUDIO_FRAME_BYTES } from "#protocol/speech/live";
import type { SpeechRequest } from "#protocol/speech/request";
import type { SocketConnection } from "../../http/exchange.js";
import type { Caller } from "../../speech/caller.js";
import type { SpeechContext } from "../../speech/context.js";
import type { ChunkEvent, SpeechOutput } from "#speech/output/output";
import { planSpeech } from "../../speech/plan.js";
import { TextSlices } from "#speech/chunking/text-turns";
import { SpokenRequest } from "../../speech/spoken-request.js";
import { livePacing } from "#speech/stream/stream-settings";
import { type AlignedFrame, AlignedFrames } from "./aligned-frames.js";
import { releasesOf } from "./held-text.js";

/** A frame to the client, without what names its context. */
export type SpeechFrame =
  | { audio?: string; alignment?: FrameAlignment; normalizedAlignment?: FrameAlignment }
  | { isFinal: true };

interface FrameAlignment {
  chars: string[];
  charStartTimesMs: number[];
  charDurationsMs: number[];
}

export interface SpeechInputOptions {
  context: SpeechContext;
  caller: Caller;
  /** Everything but the text. */
  request: SpeechRequest;
  /** Whether frames say when their characters audio. */
  isAligned: boolean;
  connection: Pick<SocketConnection, "writable">;
  send(frame: SpeechFrame): boolean;
  /** Called once: after `isFinal` with null, or with the error that ended it. Not after `cancel`. */
  onOver(error: ServiceError | null): void;
}

type Action = { kind: "text"; text: string } | { kind: "trigger" | "flush" | "end" };

/**
 * One text that comes in frames and leaves as frames of audio: the whole of `stream-input`, or one context of
 * `multi-stream-input`. Actions are carried out in order, although the voice must be looked up first.
 */
export class SpeechInput implements SpeechOutput {
  readonly #options: SpeechInputOptions;
  readonly #frames: AlignedFrames;
  readonly #inbox: { action: Action; arrivedAtMs: number }[] = [];
  readonly #turns = new TextSlices();
  #inboxBytes = 0;
  #isBusy = false;
  #isOver = false;
  #isEnding = false;
  /** The client has not taken what was sent. */
  #isBehind = false;
  #spoken: SpokenRequest | null = null;
  #lastTextAtMs = 0;
  #cancelReleases: (() => void)[] = [];

  constructor(options: SpeechInputOptions) {
    this.#options = options;
    this.#frames = new AlignedFrames({ minFrameBytes: MIN_AUDIO_FRAME_BYTES, isAligned: options.isAligned });
  }

  /** Takes text in. Throws `text_buffer_full` when too much of it waits. */
  text(text: string): void {
    const bytes = Buffer.byteLength(text);
    if (bytes + this.#inboxBytes + (this.#spoken?.waitingBytes ?? 0) > MAX_WAITING_TEXT_BYTES) {
      throw new ServiceError("text_buffer_full", { parameters: { limitBytes: MAX_WAITING_TEXT_BYTES } });
    }
    this.#inboxBytes += bytes;
    this.#lastTextAtMs = this.#options.context.clock.nowMs();
    this.#do({ kind: "text", text });
  }

  /**
   * Speaks what has come at its next phrase end, at 50 characters, or 300 ms after the last text, whichever comes
   * first.
   */
  trigger(): void {
    this.#do({ kind: "trigger" });
  }

  /** Speaks what has come without waiting for more, and sends the last of its audio at once. */
  flush(): void {
    this.#do({ kind: "flush" });
  }

  /** No more text: `isFinal` comes after the last audio. What follows is ignored. */
  end(): void {
    this.#do({ kind: "end" });
    this.#isEnding = true;
  }

  /** Ends all work; nothing more is sent. */
  cancel(): void {
    this.#leave();
    this.#spoken?.cancel();
  }

  encodedTo(endSeconds: number): void {
    this.#frames.encodedTo(endSeconds);
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    await this.#sendAndWait(this.#frames.audio(bytes));
  }

  chunk(event: ChunkEvent, sampleRate: number): void {
    this.#send(this.#frames.chunk(event, sampleRate));
  }

  async flushed(): Promise<void> {
    await this.#sendAndWait(this.#frames.rest());
  }

  async ended(): Promise<void> {
    await this.#sendAndWait(this.#frames.end());
    if (this.#isOver) return;
    this.#options.send({ isFinal: true });
    this.#leave();
    this.#options.onOver(null);
  }

  failed(error: ServiceError): void {
    if (this.#isOver) return;
    this.#leave();
    this.#options.onOver(error);
  }

  #do(action: Action): void {
    if (this.#isOver || this.#isEnding) return;
    this.#inbox.push({ action, arrivedAtMs: this.#options.context.clock.nowMs() });
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      for (let item = this.#inbox.shift(); item !== undefined && !this.#isOver; item = this.#inbox.shift()) {
        await this.#carryOut(item.action, item.arrivedAtMs);
        if (item.action.kind === "text") this.#inboxBytes -= Buffer.byteLength(item.action.text);
      }
    } catch (error) {
      this.#spoken?.cancel("failed");
      this.failed(error instanceof ServiceError ? error : new ServiceError("internal", { cause: error }));
    }
    this.#isBusy = false;
    this.#awaitMoreText();
  }

  async #carryOut(action: Action, arrivedAtMs: number): Promise<void> {
    this.#stopWaiting();
    // Nothing was said: there is nothing to look a voice up for.
    if (this.#spoken === null && action.kind !== "text") return action.kind === "end" ? await this.ended() : undefined;
    const spoken = this.#spoken ?? (await this.#open());
    if (this.#isOver) return;
    if (action.kind === "text") return await this.#speak(spoken, action.text, arrivedAtMs);
    if (action.kind === "trigger") return spoken.trigger(arrivedAtMs);
    if (action.kind === "flush") return spoken.flush(arrivedAtMs);
    spoken.end(arrivedAtMs);
  }

  async #open(): Promise<SpokenRequest> {
    const { context, caller, request } = this.#options;
    const plan = await planSpeech({ request, caller, context, pacing: livePacing });
    this.#spoken = new SpokenRequest({
      context,
      caller,
      plan,
      route: "/compat/text-to-speech/stream-input",
      output: this,
    });
    if (this.#isOver) this.#spoken.cancel();
    return this.#spoken;
  }

  async #speak(spoken: SpokenRequest, text: string, arrivedAtMs: number): Promise<void> {
    this.#frames.append(text);
    await this.#turns.spread(
      text,
      (slice) => spoken.text(slice, arrivedAtMs),
      () => this.#isOver,
    );
  }

  /** All that has come is carried out: sets the times at which held text is spoken although no more comes. */
  #awaitMoreText(): void {
    const spoken = this.#spoken;
    if (spoken === null || this.#isOver || this.#isEnding) return;
    const { clock } = this.#options.context;
    for (const { atMs, what } of releasesOf({ lastTextAtMs: this.#lastTextAtMs, isTriggered: spoken.isTriggered })) {
      const release = (): void =>
        what === "everything" ? spoken.speakTriggered(clock.nowMs()) : spoken.releaseFinished(clock.nowMs());
      this.#cancelReleases.push(clock.after(Math.max(0, atMs - clock.nowMs()), release));
    }
  }

  #stopWaiting(): void {
    for (const cancel of this.#cancelReleases.splice(0)) cancel();
  }

  async #sendAndWait(frames: readonly AlignedFrame[]): Promise<void> {
    this.#send(frames);
    if (this.#isBehind && !this.#isOver) await this.#options.connection.writable();
    this.#isBehind = false;
  }

  #send(frames: readonly AlignedFrame[]): void {
    for (const frame of frames) {
      if (this.#isOver) return;
      if (!this.#options.send(describe(frame))) this.#isBehind = true;
    }
  }

  #leave(): void {
    this.#isOver = true;
    this.#inbox.length = 0;
    this.#stopWaiting();
  }
}

/** A frame as clients read it: times in milliseconds, nothing that is empty. */
function describe({ audio, alignment }: AlignedFrame): SpeechFrame {
  const frame =
    audio === null ? {} : { audio: Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString("base64") };
  if (alignment === null) return frame;
  const charStartTimesMs = alignment.startSeconds.map((seconds) => Math.round(seconds * 1000));
  const charDurationsMs = alignment.endSeconds.map((seconds, index) =>
    Math.max(0, Math.round(seconds * 1000) - (charStartTimesMs[index] ?? 0)),
  );
  const described: FrameAlignment = { chars: alignment.characters, charStartTimesMs, charDurationsMs };
  return { ...frame, alignment: described, normalizedAlignment: described };
}
