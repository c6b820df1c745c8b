import { ServiceError } from "#protocol/errors";
import type { AudioEncoder, EncoderPool, EncoderSpec } from "#audio/encoding/encoder";
import type { Clock } from "#common/clock";
import { Playout } from "../stream/playout.js";
import type { StreamEvent } from "../stream/stream-event.js";
import type { SpeechOutput } from "./output.js";

/** Audio that may wait for its encoder before no more is asked for: an engine can be faster than an encoder. */
const MAX_WAITING_SECONDS = 8;

/**
 * What is encoded first of a stream, on its own: a worker's frame is longer, and MP3 takes a millisecond for each 100 of
 * audio. LAME gives four frames for this much, of which the first is small: at 128 kbit/s more than a client's
 * `MIN_AUDIO_FRAME_BYTES`.
 */
const PROMPT_MS = 150;

export interface EncodingOptions {
  encoders: EncoderPool;
  spec: Omit<EncoderSpec, "inputSampleRate">;
  /** Rate that the samples will probably have: the encoder is warm when they come. */
  expectedSampleRate: number;
  output: SpeechOutput;
  clock: Clock;
  /** The client or the encoder is behind (true), or has caught up. */
  onHold: (held: boolean) => void;
  /** Encoding failed, or the output would take no more; the output knows. */
  onBroken: (error: unknown) => void;
}

/**
 * Takes a stream's events in order, encodes the audio off the event loop, and gives everything to the output in the
 * same order.
 */
export class Encoding {
  readonly #options: EncodingOptions;
  readonly #waiting: StreamEvent[] = [];
  /** What the client has been given: streams whose players run dry first are encoded first. */
  readonly #playout = new Playout();
  #encoder: AudioEncoder;
  #encoderRate: number;
  #waitingSeconds = 0;
  #encodedSamples = 0;
  #clientBehind = false;
  #held = false;
  #running = false;
  #closed = false;
  /** Whether the encoder got samples since it was last flushed. */
  #unflushed = false;
  /** Whether there was any audio: a file's header without any is nothing to anybody. */
  #sounded = false;

  constructor(options: EncodingOptions) {
    this.#options = options;
    this.#encoderRate = options.expectedSampleRate;
    this.#encoder = this.#open(this.#encoderRate);
  }

  take(event: StreamEvent): void {
    if (this.#closed) return;
    this.#waiting.push(event);
    if (event.type === "samples") this.#waitingSeconds += event.samples.length / event.sampleRate;
    this.#updateHold();
    if (!this.#running) void this.#run();
  }

  /** Frees the encoder; nothing more reaches the output. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#waiting.length = 0;
    this.#encoder.close();
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      for (let event = this.#waiting.shift(); event !== undefined && !this.#closed; event = this.#waiting.shift())
        await this.#handle(event);
    } catch (error) {
      // Closing rejects what is under way: that is no failure.
      if (!this.#closed) {
        this.close();
        this.#options.output.failed(
          error instanceof ServiceError ? error : new ServiceError("internal", { cause: error }),
        );
        this.#options.onBroken(error);
      }
    } finally {
      this.#running = false;
    }
  }

  async #handle(event: StreamEvent): Promise<void> {
    const { output } = this.#options;
    switch (event.type) {
      case "samples":
        return await this.#encode(event.samples, event.sampleRate);
      case "chunk-started":
        this.#useRate(event.sampleRate);
        output.chunk?.(event, this.#encoderRate);
        return;
      case "words":
      case "chunk-ended":
        output.chunk?.(event, this.#encoderRate);
        return;
      case "marked":
        if (this.#unflushed) await this.#give(await this.#encoder.flush());
        this.#unflushed = false;
        if (!this.#closed) await output.flushed?.();
        return;
      case "ended":
        if (this.#sounded) await this.#give(await this.#encoder.finish());
        if (!this.#closed) await output.ended();
        return this.close();
      case "failed":
        output.failed(event.error);
        return this.close();
      case "first-frame":
    }
  }

  async #encode(samples: Int16Array, sampleRate: number): Promise<void> {
    this.#useRate(sampleRate);
    this.#unflushed = true;
    const pieces = this.#sounded ? [samples] : promptPieces(samples, sampleRate);
    this.#sounded ||= samples.length > 0;
    // The encoder takes the samples away, and has all of them before the first of its answers is waited for.
    const dueMs = this.#playout.endsAtMs;
    const writes = pieces.map((piece) => ({ count: piece.length, bytes: this.#encoder.write(piece, dueMs) }));
    // The first that fails ends the stream, and nobody waits for the others any more.
    for (const { bytes } of writes) bytes.catch(() => undefined);
    for (const { count, bytes } of writes) {
      const encoded = await bytes;
      const seconds = count / sampleRate;
      this.#encodedSamples += count;
      if (!this.#closed) this.#options.output.encodedTo?.(this.#encodedSamples / sampleRate);
      this.#waitingSeconds -= seconds;
      this.#updateHold();
      this.#playout.given(seconds * 1000, this.#options.clock.nowMs());
      await this.#give(encoded);
    }
  }

  /** The announced rate was a guess; the samples know. They never change their rate later. */
  #useRate(sampleRate: number): void {
    if (sampleRate === this.#encoderRate) return;
    this.#encoder.close();
    this.#encoder = this.#open(sampleRate);
    this.#encoderRate = sampleRate;
  }

  async #give(bytes: Uint8Array): Promise<void> {
    if (this.#closed || bytes.byteLength === 0) return;
    let settled = false;
    const taken = this.#options.output.bytes(bytes).finally(() => {
      settled = true;
    });
    await Promise.resolve();
    if (!settled) {
      this.#clientBehind = true;
      this.#updateHold();
    }
    await taken;
    this.#clientBehind = false;
    this.#updateHold();
  }

  #updateHold(): void {
    const held = this.#clientBehind || this.#waitingSeconds > MAX_WAITING_SECONDS;
    if (held === this.#held || this.#closed) return;
    this.#held = held;
    this.#options.onHold(held);
  }

  #open(inputSampleRate: number): AudioEncoder {
    return this.#options.encoders.open({ ...this.#options.spec, inputSampleRate });
  }
}

/** A stream's first samples, cut after `PROMPT_MS`: copies, since a thread is sent all the memory behind a view. */
function promptPieces(samples: Int16Array, sampleRate: number): Int16Array[] {
  const promptSamples = Math.round((PROMPT_MS / 1000) * sampleRate);
  if (samples.length <= promptSamples) return [samples];
  return [samples.slice(0, promptSamples), samples.slice(promptSamples)];
}
