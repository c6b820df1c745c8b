import type { ServiceError } from "#protocol/errors";
import { encodeMsgpack } from "#protocol/msgpack";
import { type LiveServerEvent, MIN_AUDIO_FRAME_BYTES } from "#protocol/speech/live";
import type { SocketConnection } from "../../http/exchange.js";
import { FrameAggregator } from "./frame-aggregator.js";
import type { SpeechOutput } from "./output.js";

/** Close codes of RFC 6455 section 7.4.1. */
const NORMAL_CLOSURE = 1000;
const MESSAGE_TOO_BIG = 1009;
const INTERNAL_ERROR = 1011;

/** Writes the server's events of the live WebSocket: `audio` frames, then one `finish`, then the close. */
export class LiveOutput implements SpeechOutput {
  readonly #connection: SocketConnection;
  readonly #onFinished: () => void;
  readonly #frames = new FrameAggregator(MIN_AUDIO_FRAME_BYTES);
  #finished = false;

  constructor(connection: SocketConnection, onFinished: () => void) {
    this.#connection = connection;
    this.#onFinished = onFinished;
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    await this.#sendAudio(this.#frames.add(bytes));
  }

  async flushed(): Promise<void> {
    await this.#sendAudio(this.#frames.rest());
  }

  async ended(): Promise<void> {
    await this.#sendAudio(this.#frames.rest());
    this.#finish({ event: "finish", reason: "stop" }, NORMAL_CLOSURE, "");
  }

  failed(error: ServiceError): void {
    if (this.#finished) return;
    const rest = this.#frames.rest();
    if (rest !== null) this.#send({ event: "audio", audio: rest });
    const message = describe(error);
    this.#finish({ event: "finish", reason: "error", message }, error.code === "text_buffer_full" ? MESSAGE_TOO_BIG : INTERNAL_ERROR, message);
  }

  async #sendAudio(frame: Uint8Array | null): Promise<void> {
    if (frame === null || this.#finished) return;
    if (!this.#send({ event: "audio", audio: frame })) await this.#connection.writable();
  }

  #finish(event: LiveServerEvent, code: number, reason: string): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#send(event);
    this.#connection.close(code, reason);
    this.#onFinished();
  }

  #send(event: LiveServerEvent): boolean {
    return this.#connection.send(encodeMsgpack(event));
  }
}

/** One line for people: the message, and for a validation error the first field that is wrong. */
function describe(error: ServiceError): string {
  const [problem] = error.problems;
  return problem === undefined ? error.message || error.code : `${error.message}: ${problem.loc.join(".")}: ${problem.msg}`;
}
