import { MessageChannel } from "node:worker_threads";
import { DECODER_THREADS, decodingLimitMs, ownBytes, runDecoder, tooSlow } from "./decoder-pool.js";
import type { PiecesTask, Survey, SurveyTask } from "./decoder-thread.js";
import type { DecodedFacts } from "./mono-sink.js";
import { GRANTED, LEFT } from "./decoder-signals.js";
import { Semaphore } from "#common/semaphore";

export interface OpenAudioOptions {
  /** Bounds of the audio that really comes out of the decoder. */
  minSeconds: number;
  maxSeconds: number;
  /** Rate wanted, Hz. */
  sampleRate: number;
  /** Stops the work. */
  signal: AbortSignal;
}

/** A file that is audio within the bounds. */
export interface OpenedAudio extends DecodedFacts {
  /**
   * Its audio in order, mono, in pieces of some seconds; decoded while it is read, so that a long file never lies in
   * memory as a whole. To be read once. Throws `unsupported_format`, and an AbortError once the signal aborts; leaving
   * the loop ends the work.
   */
  pieces: AsyncIterable<Int16Array>;
}

/**
 * Audio up to this length is held whole: 3.8 MB at 16 kHz. Longer files are decoded twice, the first time only to be
 * measured.
 */
const WHOLE_SECONDS = 120;
const PIECE_SECONDS = 10;
/** Pieces that are decoded ahead of their reader. */
const AHEAD = 2;

/** A long file keeps its thread until it is read: one is left for the others. */
const LONG_FILES = DECODER_THREADS - 1;
/** A thread that was asked to stop stops at its next piece; one that has not by then is ended. */
const STOP_MS = 5000;

const longFiles = new Semaphore(LONG_FILES);

/**
 * Opens an audio file: finds out on a thread of its own what it is and how long it really is, then gives its audio.
 * Takes the memory of `bytes` where they fill it: they are gone for the caller. Throws `unsupported_format` (reason
 * `too_long`, `too_short` or `ffmpeg_missing` where it is one of these), `overloaded` when too many files wait; an
 * aborted signal rejects with an AbortError.
 */
export async function openAudio(bytes: Uint8Array, options: OpenAudioOptions): Promise<OpenedAudio> {
  const { minSeconds, maxSeconds, sampleRate, signal } = options;
  const own = ownBytes(bytes);
  const task: SurveyTask = { bytes: own, minSeconds, maxSeconds, sampleRate, keepSeconds: WHOLE_SECONDS };
  const surveyed = await runDecoder<Survey>("survey", task, { maxSeconds, signal, transferList: [own.buffer] });
  const { facts, samples, bytes: rest } = surveyed;
  const whole = async function* (): AsyncGenerator<Int16Array> {
    if (samples !== null) yield samples;
  };
  return { ...facts, pieces: rest === null ? whole() : readPieces(ownBytes(rest), options) };
}

async function* readPieces(
  bytes: Uint8Array<ArrayBuffer>,
  { maxSeconds, sampleRate, signal }: OpenAudioOptions,
): AsyncGenerator<Int16Array> {
  const release = await longFiles.take(signal);
  const { port1: inbox, port2: port } = new MessageChannel();
  const signals = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  signals[GRANTED] = AHEAD;
  const hardStop = new AbortController();
  const task: PiecesTask = { bytes, maxSeconds, sampleRate, pieceSamples: PIECE_SECONDS * sampleRate, port, signals };
  const ended = runDecoder<null>("pieces", task, {
    maxSeconds: null,
    signal: hardStop.signal,
    transferList: [port, bytes.buffer],
  });
  // Whoever waits for a piece learns of a failure; when nobody waits any more it is no news.
  ended.catch(() => undefined);
  const arrivals = new Arrivals(ended, decodingLimitMs(maxSeconds), signal);
  inbox.on("message", (piece: Int16Array | null) => arrivals.put(piece));
  try {
    for (let piece = await arrivals.next(); piece !== null; piece = await arrivals.next()) {
      Atomics.add(signals, GRANTED, 1);
      Atomics.notify(signals, GRANTED);
      yield piece;
    }
    await ended;
  } finally {
    Atomics.store(signals, LEFT, 1);
    // Changed as well, or a thread that is just about to wait for it would sleep through the notice.
    Atomics.add(signals, GRANTED, 1);
    Atomics.notify(signals, GRANTED);
    inbox.close();
    const timer = setTimeout(() => hardStop.abort(), STOP_MS);
    ended
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(timer);
        release();
      });
  }
}

/** Pieces that came from the thread, and the reader's patience: only the time that it really waits counts. */
class Arrivals {
  readonly #pieces: (Int16Array | null)[] = [];
  readonly #failed: Promise<never>;
  readonly #signal: AbortSignal;
  readonly #limitMs: number;
  #leftMs: number;
  #wake: () => void = () => undefined;

  constructor(ended: Promise<unknown>, limitMs: number, signal: AbortSignal) {
    this.#signal = signal;
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
    this.#failed = new Promise((_, reject) => {
      ended.catch(reject);
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (signal.aborted) reject(signal.reason);
    });
    this.#failed.catch(() => undefined);
  }

  put(piece: Int16Array | null): void {
    this.#pieces.push(piece);
    this.#wake();
  }

  /** The next piece; null after the last. */
  async next(): Promise<Int16Array | null> {
    this.#signal.throwIfAborted();
    if (this.#pieces.length === 0) await this.#wait();
    return this.#pieces.shift() ?? null;
  }

  async #wait(): Promise<void> {
    const startedMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    try {
      await Promise.race([
        this.#failed,
        new Promise<void>((resolve, reject) => {
          this.#wake = resolve;
          timer = setTimeout(() => reject(tooSlow(this.#limitMs)), this.#leftMs);
        }),
      ]);
    } finally {
      clearTimeout(timer);
      this.#leftMs -= performance.now() - startedMs;
    }
  }
}
