import type { EdgeAudioInbound } from "#protocol/bus/audio";
import type { SubmissionClient } from "#submission/submission-client";
import type { ChooseScheduler } from "#submission/submission-machine";
import type { SubmissionStream } from "#submission/submission-stream";
import type { ChunkText } from "../chunking/chunker.js";
import type { StreamEvent } from "./stream-event.js";
import { StreamMachine } from "./stream-machine.js";
import type { StreamSettings } from "./stream-settings.js";

export interface SpeechStreamOptions {
  settings: StreamSettings;
  client: SubmissionClient;
  chooseScheduler: ChooseScheduler;
  /** Called in order, never after the end and never from inside another call of it. */
  onEvent: (event: StreamEvent) => void;
  /** Called once when the stream is over for whatever reason. */
  onOver: () => void;
}

/** Runs a `StreamMachine` on the bus and the clock. */
export class SpeechStream {
  readonly #options: SpeechStreamOptions;
  readonly #machine: StreamMachine;
  readonly #stream: SubmissionStream;
  #over = false;
  #delivering = false;
  readonly #events: StreamEvent[] = [];

  constructor(options: SpeechStreamOptions) {
    const { settings, client, chooseScheduler } = options;
    this.#options = options;
    this.#machine = new StreamMachine({ settings, ownerId: client.ownerId, chooseScheduler });
    this.#stream = client.open(settings.streamId, {
      submissions: this.#machine.submissions,
      nextWakeMs: (nowMs) => this.#machine.nextWakeMs(nowMs),
      tick: (nowMs) => this.#machine.tick(nowMs),
      afterInput: () => this.#afterInput(),
    });
  }

  get id(): string {
    return this.#options.settings.streamId;
  }

  /** Whether `text-wanted` was given and no piece came since. */
  get wantsText(): boolean {
    return this.#machine.wantsText;
  }

  /** UTF-8 bytes of text that no scheduler has yet. */
  get waitingBytes(): number {
    return this.#machine.waitingBytes;
  }

  /** Adds pieces to speak, in order. */
  add(pieces: ChunkText[]): void {
    if (pieces.length > 0) this.#stream.input((nowMs) => this.#machine.add(pieces, nowMs));
  }

  /** Asks for a `marked` event once all that was added so far has been given. */
  mark(): void {
    this.#stream.input(() => this.#machine.mark());
  }

  /** No more text: `ended` comes after the last audio. */
  end(): void {
    this.#stream.input(() => this.#machine.end());
  }

  /** Stops or resumes asking for more audio, as the client's connection falls behind or catches up. */
  hold(held: boolean): void {
    this.#stream.input((nowMs) => this.#machine.hold(held, nowMs));
  }

  /** Ends all work everywhere; no event follows. Harmless after the end. */
  cancel(): void {
    this.#events.length = 0;
    this.#stream.input(() => this.#machine.cancel());
  }

  audio(message: EdgeAudioInbound): void {
    if (message.type === "failed") this.#stream.failed(message);
    else this.#stream.input((nowMs) => this.#machine.frame(message, nowMs));
  }

  #afterInput(): void {
    this.#events.push(...this.#machine.takeEvents());
    if (this.#machine.over && !this.#over) {
      this.#over = true;
      this.#stream.close();
      this.#options.onOver();
    }
    this.#deliver();
  }

  /** `onEvent` may call back into the stream (hold, cancel): events of the inner call wait their turn here. */
  #deliver(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift())
        this.#options.onEvent(event);
    } finally {
      this.#delivering = false;
    }
  }
}
