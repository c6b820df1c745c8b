import type { Verdict } from "#protocol/bus/scheduling";
import { type Cancel, schedulerSubject } from "#protocol/bus/scheduling";
import type { OwnerRecognitionInbound, AudioReply } from "#protocol/bus/recognition";
import { RECOGNITION_RATE, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { RecognitionOutput, RecognitionStream, RecognitionStreamSettings } from "./recognition-client.js";
import { type ChooseRecognitionScheduler, type RecognitionAction, RecognitionMachine } from "./recognition-machine.js";

export interface OpenRecognitionStreamOptions {
  settings: RecognitionStreamSettings;
  ownerId: string;
  bus: Bus;
  clock: Clock;
  chooseScheduler: ChooseRecognitionScheduler;
  /** Engine calls that the cluster runs at once for the model. */
  slots: () => number;
  /** Called once when the stream is closed. */
  onClosed: () => void;
}

interface Waiting {
  samples: Int16Array;
  resolve: (piece: RecognitionOutput) => void;
  reject: (reason: unknown) => void;
}

/** Runs a `RecognitionMachine` on the bus and the clock, and holds the samples until their result comes. */
export class OpenRecognitionStream implements RecognitionStream {
  readonly #options: OpenRecognitionStreamOptions;
  readonly #machine: RecognitionMachine;
  readonly #waiting = new Map<number, Waiting>();
  #cancelTimer: (() => void) | null = null;
  #closed = false;

  constructor(options: OpenRecognitionStreamOptions) {
    this.#options = options;
    this.#machine = new RecognitionMachine(options);
  }

  /** Pieces that are not over. */
  get activePieces(): number {
    return this.#waiting.size;
  }

  async recognize(
    samples: Int16Array,
    { slackMs, signal }: { slackMs: number; signal?: AbortSignal },
  ): Promise<RecognitionOutput> {
    signal?.throwIfAborted();
    if (this.#closed) throw closedError();
    if (this.#machine.over !== null) throw this.#machine.over;
    if (samples.length === 0 || samples.length > MAX_AUDIO_SECONDS * RECOGNITION_RATE)
      throw new RangeError(`a piece of ${samples.length} samples`);
    const { chunkIndex, actions } = this.#machine.add(samples.length, slackMs, this.#options.clock.nowMs());
    const withdraw = (): void => this.#withdraw(chunkIndex, signal?.reason);
    signal?.addEventListener("abort", withdraw, { once: true });
    try {
      return await new Promise<RecognitionOutput>((resolve, reject) => {
        this.#waiting.set(chunkIndex, { samples, resolve, reject });
        this.#do(actions);
      });
    } finally {
      signal?.removeEventListener("abort", withdraw);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const actions = this.#machine.close();
    for (const waiting of this.#waiting.values()) waiting.reject(closedError());
    this.#waiting.clear();
    this.#do(actions);
    this.#options.onClosed();
  }

  /** The samples of a piece for the worker that is to hear it. */
  samplesOf(chunkIndex: number): AudioReply {
    const waiting = this.#waiting.get(chunkIndex);
    if (waiting === undefined) return { type: "gone" };
    const { samples } = waiting;
    return { type: "audio", pcm: new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength) };
  }

  recognized(message: OwnerRecognitionInbound): void {
    const nowMs = this.#options.clock.nowMs();
    if (message.type === "failed") return this.#do(this.#machine.failed(message, nowMs));
    const { wanted, actions } = this.#machine.recognized(message.chunkIndex, nowMs);
    if (wanted) {
      const piece: RecognitionOutput =
        message.type === "recognized"
          ? { task: "transcribe", words: message.words, language: message.language }
          : // The bus gave the bytes to us, but they are a view on a whole message: keeping it would keep the message.
            { task: "vad", speech: message.speech.slice() };
      this.#take(message.chunkIndex)?.resolve(piece);
    }
    this.#do(actions);
  }

  verdict(verdict: Verdict): void {
    this.#do(this.#machine.verdict(verdict, this.#options.clock.nowMs()));
  }

  schedulerLost(schedulerId: string): void {
    this.#do(this.#machine.schedulerLost(schedulerId, this.#options.clock.nowMs()));
  }

  reconnected(): void {
    this.#do(this.#machine.reconnected(this.#options.clock.nowMs()));
  }

  #withdraw(chunkIndex: number, reason: unknown): void {
    this.#take(chunkIndex)?.reject(reason);
    this.#do(this.#machine.withdraw(chunkIndex, this.#options.clock.nowMs()));
  }

  #take(chunkIndex: number): Waiting | undefined {
    const waiting = this.#waiting.get(chunkIndex);
    this.#waiting.delete(chunkIndex);
    return waiting;
  }

  #do(actions: RecognitionAction[]): void {
    const { bus, settings } = this.#options;
    for (const action of actions) {
      if (action.type === "submit") bus.publish(schedulerSubject(action.schedulerId), action.submit);
      else if (action.type === "failed") this.#take(action.chunkIndex)?.reject(action.error);
      else bus.publish(schedulerSubject(action.schedulerId), cancelOf(settings.streamId, action.chunkIndex));
    }
    this.#arm();
  }

  #arm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const { clock, bus } = this.#options;
    const wakeMs = this.#machine.nextWakeMs();
    if (wakeMs === Number.POSITIVE_INFINITY) return;
    const tick = (): void => this.#do(this.#machine.tick(clock.nowMs(), bus.isConnected()));
    this.#cancelTimer = clock.after(Math.max(1, wakeMs - clock.nowMs()), tick);
  }
}

function cancelOf(streamId: string, chunkIndex: number | null): Cancel {
  if (chunkIndex === null) return { type: "cancel", streamId, fromChunk: 0 };
  return { type: "cancel", streamId, fromChunk: chunkIndex, toChunk: chunkIndex };
}

function closedError(): DOMException {
  return new DOMException("The recognition stream is closed", "AbortError");
}
