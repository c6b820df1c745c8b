import { type AudioFrame, ownerAudioSubject, MAX_FRAME_MS } from "#protocol/bus/audio";
import type { SpeechChunk, WordTiming } from "#protocol/speech/chunk";
import { samplesToBytes } from "#audio/pcm";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { SpeechOutput } from "../engines/engine.js";

export interface FrameSenderOptions {
  bus: Pick<Bus, "publish">;
  clock: Clock;
  workerId: string;
  chunk: SpeechChunk;
  sampleRate: number;
  /** What the chunk waited in the scheduler, microseconds. */
  queuedUs: number;
}

/**
 * A chunk's first audio leaves piece by piece: enough for the first frame that an encoder and the edge's framing give
 * to a client.
 */
const PROMPT_MS = 300;

/**
 * Then pieces are gathered for this long: the player has more than that in store, and every frame costs each role on
 * its way.
 */
const GATHER_MS = 10;

/**
 * Longest frame: at the edge streams take turns on the encoders frame by frame, and someone's first audio may be
 * waiting there.
 */
const FRAME_MS = 300;

/**
 * Sends one chunk's pieces to its edge: at once while the client waits for them, then those of a few milliseconds as
 * one frame. An engine far faster than real time would otherwise fill the bus with small frames, and all roles with
 * their handling, just when the first ones are on their way.
 */
export class FrameSender {
  readonly #options: FrameSenderOptions;
  readonly #startedMs: number;
  #held: Int16Array[] = [];
  #heldWords: WordTiming[] = [];
  #nextSample = 0;
  #begun = false;
  #cancelGathering: (() => void) | null = null;

  /** The engine's time counts from here. */
  constructor(options: FrameSenderOptions) {
    this.#options = options;
    this.#startedMs = options.clock.nowMs();
  }

  /** Microseconds since the chunk was begun. */
  get elapsedUs(): number {
    return Math.round((this.#options.clock.nowMs() - this.#startedMs) * 1000);
  }

  send(piece: SpeechOutput): void {
    this.#held.push(piece.samples);
    this.#heldWords.push(...piece.words);
    const { clock, sampleRate } = this.#options;
    if (piece.samples.length > 0 && this.#nextSample < (PROMPT_MS / 1000) * sampleRate) return this.#flush(false);
    this.#cancelGathering ??= clock.after(GATHER_MS, () => this.#flush(false));
  }

  /** The chunk is complete: the rest goes out, marked as the last. */
  finish(): void {
    this.#flush(true);
  }

  /** The chunk will not be completed: what is held is dropped. */
  discard(): void {
    this.#cancelGathering?.();
  }

  #flush(last: boolean): void {
    this.#cancelGathering?.();
    this.#cancelGathering = null;
    const samples = joined(this.#held);
    const words = this.#heldWords;
    this.#held = [];
    this.#heldWords = [];
    const most = Math.floor((Math.min(FRAME_MS, MAX_FRAME_MS) / 1000) * this.#options.sampleRate);
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
    bus.publish(ownerAudioSubject(chunk.ownerId), frame);
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
