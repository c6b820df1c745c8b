import { ServiceError } from "#protocol/errors";
import type { SpeechInputFrame } from "#protocol/compat/elevenlabs-socket";
import { MIN_AUDIO_FRAME_BYTES } from "#protocol/speech/live";
import type { SpeechRequest } from "#protocol/speech/request";
import type { SocketConnection } from "../../http/exchange.js";
import type { Caller } from "../../speech/caller.js";
import type { SpeechContext } from "../../speech/context.js";
import type { ChunkEvent, SpeechOutput } from "#speech/output/output";
import { TextInput } from "../../speech/text-input.js";
import { type AlignedFrame, AlignedFrames } from "./aligned-frames.js";

export interface SpeechInputOptions {
  context: SpeechContext;
  caller: Caller;
  /** Everything but the text. */
  request: SpeechRequest;
  /** Whether frames say when their characters sound. */
  isAligned: boolean;
  connection: Pick<SocketConnection, "writable">;
  send(frame: SpeechInputFrame): boolean;
  /** Called once: after `isFinal` with null, or with the error that ended it. Not after `cancel`. */
  onOver(error: ServiceError | null): void;
}

/**
 * One text that comes in frames and leaves as frames of audio: the whole of `stream-input`, or one context of
 * `multi-stream-input`.
 */
export class SpeechInput implements SpeechOutput {
  readonly #options: SpeechInputOptions;
  readonly #frames: AlignedFrames;
  readonly #input: TextInput;
  #hasText = false;
  #isOver = false;
  /** The client has not taken what was sent. */
  #isBehind = false;

  constructor(options: SpeechInputOptions) {
    this.#options = options;
    this.#frames = new AlignedFrames({ minFrameBytes: MIN_AUDIO_FRAME_BYTES, isAligned: options.isAligned });
    const { context, caller, request } = options;
    this.#input = new TextInput({
      context,
      route: "/compat/text-to-speech/stream-input",
      prepare: async () => ({ caller, request, output: this }),
      onError: (error) => {
        this.#input.cancel("failed");
        this.failed(error instanceof ServiceError ? error : new ServiceError("internal", { cause: error }));
      },
    });
  }

  /** Takes text in. Throws `text_buffer_full` when too much of it waits. */
  text(text: string): void {
    if (this.#input.isEnding) return;
    this.#hasText = true;
    this.#frames.append(text);
    this.#input.text(text);
    this.#input.begin();
  }

  /** As `TextInput.trigger`; nothing was said before the first text. */
  trigger(): void {
    if (this.#hasText) this.#input.trigger();
  }

  /** As `TextInput.flush`; nothing was said before the first text. */
  flush(): void {
    if (this.#hasText) this.#input.flush();
  }

  /** No more text: `isFinal` comes after the last audio. What follows is ignored. */
  end(): void {
    if (!this.#hasText && !this.#input.isEnding) void this.ended();
    this.#input.end();
  }

  /** The server is stopping: text is taken for as long as it keeps coming, within bounds, then as `end`. */
  drain(): void {
    if (this.#hasText) this.#input.drain();
    else this.end();
  }

  /** Ends all work; nothing more is sent. */
  cancel(): void {
    this.#isOver = true;
    this.#input.cancel();
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
    this.#input.stop();
  }
}

/** A frame as clients read it: times in milliseconds, nothing that is empty. */
function describe({ audio, alignment }: AlignedFrame): SpeechInputFrame {
  const frame =
    audio === null ? {} : { audio: Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString("base64") };
  if (alignment === null) return frame;
  const charStartTimesMs = alignment.startSeconds.map((seconds) => Math.round(seconds * 1000));
  const charDurationsMs = alignment.endSeconds.map((seconds, index) =>
    Math.max(0, Math.round(seconds * 1000) - (charStartTimesMs[index] ?? 0)),
  );
  const described = { chars: alignment.characters, charStartTimesMs, charDurationsMs };
  return { ...frame, alignment: described, normalizedAlignment: described };
}
