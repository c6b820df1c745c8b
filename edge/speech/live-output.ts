import type { ServiceError } from "#protocol/errors";
import { encodeMsgpackForNow } from "#protocol/msgpack";
import { type LiveServerEvent, MIN_AUDIO_FRAME_BYTES } from "#protocol/speech/live";
import { closeCodeOf, closeCodes } from "../http/close-codes.js";
import type { SocketConnection } from "../http/exchange.js";
import { FrameAggregator } from "#speech/output/frame-aggregator";
import type { ChunkEvent, SpeechOutput } from "#speech/output/output";
import { CurrentChunk } from "./chunk-alignment.js";

export interface LiveOutputOptions {
  connection: SocketConnection;
  /** Everything was spoken and `finish` is sent; the connection is open. */
  onEnded(): void;
  /** It failed, and the connection is closing. */
  onFailed(): void;
}

/**
 * Writes what the server answers to one `start` on the live WebSocket: `audio` frames, with `timestamps` before the
 * audio of their words where the client asked for them, then one `finish`; a failure closes the connection.
 */
export class LiveOutput implements SpeechOutput {
  readonly #options: LiveOutputOptions;
  readonly #frames = new FrameAggregator(MIN_AUDIO_FRAME_BYTES);
  readonly #chunk = new CurrentChunk();
  #finished = false;
  /** Clients that did not ask for timestamps may not know the event. */
  wantsTimestamps = false;

  constructor(options: LiveOutputOptions) {
    this.#options = options;
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    if (this.#chunk.hasNews) this.#sendTimestamps();
    await this.#sendAudio(this.#frames.add(bytes));
  }

  chunk(event: ChunkEvent, sampleRate: number): void {
    if (this.#chunk.take(event, sampleRate)) this.#sendTimestamps();
  }

  async flushed(): Promise<void> {
    await this.#sendAudio(this.#frames.rest());
  }

  async ended(): Promise<void> {
    await this.#sendAudio(this.#frames.rest());
    if (this.#finished) return;
    this.#finished = true;
    this.#send({ event: "finish", reason: "stop" });
    this.#options.onEnded();
  }

  failed(error: ServiceError): void {
    if (this.#finished) return;
    this.#finished = true;
    const rest = this.#frames.rest();
    if (rest !== null) this.#send({ event: "audio", audio: rest });
    const message = describe(error);
    this.#send({ event: "finish", reason: "error", message });
    this.#options.connection.close(reportsMore(error) ? closeCodeOf(error) : closeCodes.internal, message);
    this.#options.onFailed();
  }

  async #sendAudio(frame: Uint8Array | null): Promise<void> {
    if (frame === null || this.#finished) return;
    if (!this.#send({ event: "audio", audio: frame })) await this.#options.connection.writable();
  }

  #sendTimestamps(): void {
    const alignment = this.#chunk.show();
    if (this.wantsTimestamps && !this.#finished) this.#send({ event: "timestamps", ...alignment });
  }

  #send(event: LiveServerEvent): boolean {
    return this.#options.connection.send(encodeMsgpackForNow(event));
  }
}

/**
 * Whether the code tells more than that the session failed: clients know 1011 for whatever is wrong with what they
 * sent.
 */
function reportsMore(error: ServiceError): boolean {
  return error.status === 401 || error.status === 413 || error.status >= 500;
}

/** One line for people: the message, and for a validation error the first field that is wrong. */
function describe(error: ServiceError): string {
  const [problem] = error.problems;
  return problem === undefined
    ? error.message || error.code
    : `${error.message}: ${problem.loc.join(".")}: ${problem.msg}`;
}
