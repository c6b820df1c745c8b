import type { EdgeAudioInbound } from "#protocol/bus/audio";
import { type Cancel, schedulerSubject, type Verdict } from "#protocol/bus/scheduling";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { ChunkText } from "../chunking/chunker.js";
import type { StreamEvent } from "./stream-event.js";
import { type ChooseScheduler, type StreamAction, StreamMachine } from "./stream-machine.js";
import type { StreamSettings } from "./stream-settings.js";

export interface SpeechStreamOptions {
  settings: StreamSettings;
  ownerId: string;
  bus: Bus;
  clock: Clock;
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
  #cancelTimer: (() => void) | null = null;
  #over = false;
  #delivering = false;
  readonly #events: StreamEvent[] = [];

  constructor(options: SpeechStreamOptions) {
    this.#options = options;
    this.#machine = new StreamMachine(options);
  }

  get id(): string {
    return this.#options.settings.streamId;
  }

  /** UTF-8 bytes of text that no scheduler has yet. */
  get waitingBytes(): number {
    return this.#machine.waitingBytes;
  }

  /** Adds pieces to speak, in order. */
  add(pieces: ChunkText[]): void {
    if (pieces.length > 0) this.#run((nowMs) => this.#machine.add(pieces, nowMs));
  }

  /** Asks for a `marked` event once all that was added so far has been given. */
  mark(): void {
    this.#run((nowMs) => this.#machine.mark(nowMs));
  }

  /** No more text: `ended` comes after the last audio. */
  end(): void {
    this.#run((nowMs) => this.#machine.end(nowMs));
  }

  /** Stops or resumes asking for more audio, as the listener's connection falls behind or catches up. */
  hold(held: boolean): void {
    this.#run((nowMs) => this.#machine.hold(held, nowMs));
  }

  /** Ends all work everywhere; no event follows. Harmless after the end. */
  cancel(): void {
    this.#events.length = 0;
    this.#run(() => this.#machine.cancel());
  }

  audio(message: EdgeAudioInbound): void {
    this.#run((nowMs) =>
      message.type === "audio" ? this.#machine.frame(message, nowMs) : this.#machine.failed(message, nowMs),
    );
  }

  verdict(verdict: Verdict): void {
    this.#run((nowMs) => this.#machine.verdict(verdict, nowMs));
  }

  schedulerLost(schedulerId: string): void {
    this.#run((nowMs) => this.#machine.schedulerLost(schedulerId, nowMs));
  }

  reconnected(): void {
    this.#run((nowMs) => this.#machine.reconnected(nowMs));
  }

  #run(input: (nowMs: number) => StreamAction[]): void {
    if (this.#over) return;
    const { clock, bus } = this.#options;
    for (const action of input(clock.nowMs())) {
      if (action.type === "submit") bus.publish(schedulerSubject(action.schedulerId), action.submit);
      else if (action.type === "cancel") bus.publish(schedulerSubject(action.schedulerId), this.#cancelMessage());
      else this.#events.push(action.event);
    }
    this.#arm();
    if (this.#machine.over) {
      this.#over = true;
      this.#options.onOver();
    }
    this.#deliver();
  }

  /** A listener may call back into the stream (hold, cancel): events of the inner call wait their turn here. */
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

  #cancelMessage(): Cancel {
    return { type: "cancel", streamId: this.id, fromChunk: 0 };
  }

  #arm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const { clock, bus } = this.#options;
    const wakeMs = this.#machine.nextWakeMs(clock.nowMs());
    if (wakeMs === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = clock.after(Math.max(1, wakeMs - clock.nowMs()), () =>
      this.#run((nowMs) => this.#machine.tick(nowMs, bus.isConnected())),
    );
  }
}
