import { type AudioFrame, edgeAudioSubject, MAX_FRAME_MS } from "#protocol/bus/audio";
import type { SpeechChunk, WordTiming } from "#protocol/speech/chunk";
import { samplesToBytes } from "#common/audio/pcm";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { SpeechPiece } from "../engines/engine.js";

/** Cuts one chunk's pieces into frames and sends each to the edge at once: the first frame is the listener's first sound. */
export class FrameSender {
  readonly #options: { bus: Bus; clock: Clock; workerId: string; chunk: SpeechChunk; sampleRate: number; queuedUs: number };
  readonly #startedMs: number;
  #nextSample = 0;
  #first = true;

  /** The engine's time counts from here. */
  constructor(options: { bus: Bus; clock: Clock; workerId: string; chunk: SpeechChunk; sampleRate: number; queuedUs: number }) {
    this.#options = options;
    this.#startedMs = options.clock.nowMs();
  }

  /** Microseconds since the chunk was begun. */
  get elapsedUs(): number {
    return Math.round((this.#options.clock.nowMs() - this.#startedMs) * 1000);
  }

  send(piece: SpeechPiece): void {
    const frameSamples = Math.floor((MAX_FRAME_MS / 1000) * this.#options.sampleRate);
    let words = piece.words;
    for (let at = 0; at === 0 || at < piece.samples.length; at += frameSamples) {
      this.#publish(piece.samples.subarray(at, at + frameSamples), words, false);
      words = [];
    }
  }

  /** The chunk is complete. */
  finish(): void {
    this.#publish(new Int16Array(0), [], true);
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
      timing: this.#first ? { queuedUs: Math.round(queuedUs), engineUs: this.elapsedUs } : null,
    };
    this.#first = false;
    this.#nextSample += samples.length;
    bus.publish(edgeAudioSubject(chunk.edgeId), frame);
  }
}
