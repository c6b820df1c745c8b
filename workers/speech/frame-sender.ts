import { type AudioFrame, edgeAudioSubject, MAX_FRAME_MS } from "#protocol/bus/audio";
import type { SpeechChunk, WordTiming } from "#protocol/speech/chunk";
import { samplesToBytes } from "#common/audio/pcm";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { SpeechPiece } from "../engines/engine.js";

export interface FrameSenderOptions {
  bus: Bus;
  clock: Clock;
  workerId: string;
  chunk: SpeechChunk;
  sampleRate: number;
  /** What the chunk waited in the scheduler, microseconds. */
  queuedUs: number;
  /** Runs a callback once what has already arrived is handled (`setImmediate`). */
  defer: (callback: () => void) => void;
}

/**
 * Sends one chunk's pieces to its edge. The first goes at once: it is the listener's first sound. Later pieces that arrive together leave
 * as one frame, so that a busy worker sends few large frames and an idle one loses no time.
 */
export class FrameSender {
  readonly #options: FrameSenderOptions;
  readonly #startedMs: number;
  #held: Int16Array[] = [];
  #heldWords: WordTiming[] = [];
  #nextSample = 0;
  #begun = false;
  #over = false;
  #deferred = false;

  /** The engine's time counts from here. */
  constructor(options: FrameSenderOptions) {
    this.#options = options;
    this.#startedMs = options.clock.nowMs();
  }

  /** Microseconds since the chunk was begun. */
  get elapsedUs(): number {
    return Math.round((this.#options.clock.nowMs() - this.#startedMs) * 1000);
  }

  send(piece: SpeechPiece): void {
    this.#held.push(piece.samples);
    this.#heldWords.push(...piece.words);
    if (!this.#begun && piece.samples.length > 0) return this.#flush(false);
    if (this.#deferred) return;
    this.#deferred = true;
    this.#options.defer(() => {
      this.#deferred = false;
      if (!this.#over) this.#flush(false);
    });
  }

  /** The chunk is complete: the rest goes out, marked as the last. */
  finish(): void {
    this.#flush(true);
    this.#over = true;
  }

  /** The chunk will not be completed: what is held is dropped. */
  discard(): void {
    this.#over = true;
  }

  #flush(last: boolean): void {
    const samples = joined(this.#held);
    const words = this.#heldWords;
    this.#held = [];
    this.#heldWords = [];
    const most = Math.floor((MAX_FRAME_MS / 1000) * this.#options.sampleRate);
    if (samples.length === 0 && words.length === 0 && !last) return;
    for (let at = 0; at === 0 || at < samples.length; at += most) {
      this.#publish(samples.subarray(at, at + most), at === 0 ? words : [], last && at + most >= samples.length);
    }
  }

  #publish(samples: Int16Array, words: WordTiming[], last: boolean): void {
    const { bus, chunk, workerId, sampleRate, queuedUs } = this.#options;
    const frame: AudioFrame = {
      type: "audio",
      streamId: chunk.streamId,
      chunkIndex: chunk.chunkIndex,
      attempt: chunk.attempt,
      workerId,
      firstSample: this.#nextSample,
      sampleRate,
      pcm: samplesToBytes(samples),
      words,
      last,
      timing: this.#begun ? null : { queuedUs: Math.round(queuedUs), engineUs: this.elapsedUs },
    };
    this.#begun = true;
    this.#nextSample += samples.length;
    bus.publish(edgeAudioSubject(chunk.edgeId), frame);
  }
}

function joined(pieces: readonly Int16Array[]): Int16Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const all = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
