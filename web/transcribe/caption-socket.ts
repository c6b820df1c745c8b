import { closeSocket } from "../api/close-socket.js";
import { StreamFailure } from "../api/stream-failure.js";
import { writeSamples } from "../audio/pcm.js";

/** The route of the compatibility layer that transcribes while audio comes in (docs/compatibility.md). */
const PATH = "/compat/elevenlabs/v1/speech-to-text/realtime";

export interface CaptionSocketOptions {
  sampleRate: number;
  language: string;
  /** The words since the last commit, which may still change. */
  onPartial(text: string): void;
  /** The words of a commit. */
  onFinal(text: string): void;
  onFailure(failure: StreamFailure): void;
}

/** What the server sends; other fields are of no use here. */
interface ServerMessage {
  message_type: string;
  text?: string;
  message?: string;
}

/** Audio on its way to the service, and its words on the way back. */
export class CaptionSocket {
  readonly #options: CaptionSocketOptions;
  readonly #socket: WebSocket;
  /** Until the socket is open: the first word is not lost. */
  #waiting: string[] = [];
  #waitingCommits = 0;
  #isEnding = false;
  #isOver = false;

  constructor(options: CaptionSocketOptions) {
    this.#options = options;
    const address = new URL(PATH, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.searchParams.set("audio_format", `pcm_${options.sampleRate}`);
    address.searchParams.set("include_timestamps", "false");
    if (options.language !== "") address.searchParams.set("language_code", options.language);
    this.#socket = new WebSocket(address);
    this.#socket.onopen = () => {
      for (const message of this.#waiting.splice(0)) this.#socket.send(message);
    };
    this.#socket.onmessage = ({ data }) => this.#take(JSON.parse(String(data)) as ServerMessage);
    this.#socket.onclose = () =>
      this.#fail("the connection was refused or lost. The key may be out of credit, or have too many streams open.");
  }

  /** Sends audio; with `isEnd` its words become final. */
  send(samples: Float32Array, isEnd: boolean): void {
    if (this.#isOver || this.#isEnding) return;
    const bytes = writeSamples(samples);
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    const message = JSON.stringify({ message_type: "input_audio_chunk", audio_base_64: btoa(binary), commit: isEnd });
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message);
    else this.#waiting.push(message);
    if (isEnd) this.#waitingCommits++;
  }

  /** No more audio comes: the words of what came follow, then the socket closes. */
  end(): void {
    this.send(new Float32Array(), true);
    this.#isEnding = true;
  }

  close(): void {
    this.#isOver = true;
    closeSocket(this.#socket);
  }

  #take({ message_type, text = "", message }: ServerMessage): void {
    if (this.#isOver || message_type === "session_started") return;
    if (message_type === "partial_transcript") return this.#options.onPartial(text);
    if (message_type !== "committed_transcript") return this.#fail(message ?? "the server failed.");
    this.#options.onFinal(text);
    this.#waitingCommits--;
    if (this.#isEnding && this.#waitingCommits === 0) this.close();
  }

  #fail(message: string): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onFailure(new StreamFailure(message));
  }
}
