import { remembered } from "./memory.js";

/** Until something was measured: a slow CPU engine and an ordinary pace, with the weight of one chunk. */
const PRIOR = { chunks: 1, size: 60, serviceMs: 40, audioMs: 3900 };
/** A swapped-out or stopped process gives one absurd time: no more than this many times the expected one is believed. */
const MOST_TIMES_EXPECTED = 4;

/** Chunks that were spoken, and the service that they took: milliseconds of one busy slot. */
export interface SpokenWork {
  chunks: number;
  /** Characters. */
  size: number;
  serviceMs: number;
  audioMs: number;
}

/**
 * The service that speech of one model takes on one kind of processor, as a ratio of what was measured: batches count
 * once for all of their chunks, so that what batching saves is in it.
 */
export class ServiceDemand {
  readonly #recent: SpokenWork = { ...PRIOR };
  #observedAtMs: number | null = null;

  /** Service that so much audio takes. */
  serviceMs(audioMs: number): number {
    return (audioMs * this.#recent.serviceMs) / this.#recent.audioMs;
  }

  /** Audio that so many characters make at the usual pace. */
  audioMs(size: number): number {
    return (size * this.#recent.audioMs) / this.#recent.size;
  }

  /** Audio of a chunk, on average. */
  meanAudioMs(): number {
    return this.#recent.audioMs / this.#recent.chunks;
  }

  observe({ chunks, size, serviceMs, audioMs }: SpokenWork, nowMs: number): void {
    if (audioMs <= 0 || size <= 0) return;
    const recent = this.#recent;
    const believedMs = Math.min(serviceMs, MOST_TIMES_EXPECTED * this.serviceMs(audioMs));
    const rest = remembered(nowMs - (this.#observedAtMs ?? nowMs));
    this.#observedAtMs = nowMs;
    recent.chunks = recent.chunks * rest + chunks;
    recent.size = recent.size * rest + size;
    recent.serviceMs = recent.serviceMs * rest + believedMs;
    recent.audioMs = recent.audioMs * rest + audioMs;
  }
}
