import { decodeMsgpack, encodeMsgpack } from "#protocol/msgpack";
import type { LiveClientEvent, LiveServerEvent } from "#protocol/speech/live";
import type { SpeechModel, SpeechRequest } from "#protocol/speech/request";
import type { ChunkAlignment } from "#protocol/speech/timestamps";
import { closeSocket } from "../api/close-socket.js";
import { StreamFailure } from "../api/stream-failure.js";

export interface LiveSocketOptions {
  model: SpeechModel;
  /** What is said of the voice and the audio; the text follows. */
  request: SpeechRequest;
  /** The first text went out: from now on the user waits. */
  onFirstText(): void;
  onAudio(bytes: Uint8Array): void;
  onWords(chunk: ChunkAlignment): void;
  /** All was spoken (null), or something went wrong. Comes once, unless the page closes the socket before. */
  onEnd(failure: StreamFailure | null): void;
}

/** Text on its way to the service, and its audio on the way back (docs/protocol.md "The live socket"). */
export class LiveSocket {
  readonly #options: LiveSocketOptions;
  readonly #socket: WebSocket;
  /** Until the socket is open. */
  #waiting: LiveClientEvent[] = [];
  #hasText = false;
  #isOver = false;

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    const address = new URL(`/v1/tts/live?model=${encodeURIComponent(options.model)}`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    this.#socket = new WebSocket(address);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.onopen = () => this.#open();
    this.#socket.onmessage = ({ data }) => this.#take(decodeMsgpack(new Uint8Array(data as ArrayBuffer)));
    // A browser does not say why a socket was refused.
    this.#socket.onclose = () =>
      this.#end(
        new StreamFailure(
          "the connection was refused or lost. The key may be out of credit, or have too many streams open.",
        ),
      );
  }

  text(text: string): void {
    if (text !== "") this.#send({ event: "text", text });
  }

  /** No more text comes. */
  stop(): void {
    this.#send({ event: "stop" });
  }

  /** Ends it at once. */
  close(): void {
    this.#isOver = true;
    closeSocket(this.#socket);
  }

  #open(): void {
    const { request } = this.#options;
    this.#send({ event: "start", request: { ...request, text: "" }, timestamps: true });
    for (const event of this.#waiting.splice(0)) this.#send(event);
  }

  #send(event: LiveClientEvent): void {
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#waiting.push(event);
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(encodeMsgpack(event).slice());
    if (event.event === "text" && !this.#hasText) {
      this.#hasText = true;
      this.#options.onFirstText();
    }
  }

  #take(value: unknown): void {
    const event = value as LiveServerEvent;
    if (this.#isOver) return;
    if (event.event === "audio") this.#options.onAudio(event.audio);
    else if (event.event === "timestamps") this.#options.onWords(event);
    else if (event.event === "finish") this.#end(event.reason === "stop" ? null : new StreamFailure(event.message));
  }

  #end(failure: StreamFailure | null): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onEnd(failure);
  }
}
