import { availableParallelism } from "node:os";
import { MessageChannel } from "node:worker_threads";
import { Piscina } from "piscina";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import { unreadable } from "./failures.js";
import type { DecodedFacts } from "./mono-sink.js";
import { GRANTED, LEFT } from "./sound-signals.js";
import type { Answer, PiecesTask, Survey, SurveyTask } from "./sound-thread.js";
import { Semaphore } from "#common/semaphore";

export interface OpenSoundOptions {
  /** Bounds of the sound that really comes out of the decoder. */
  minSeconds: number;
  maxSeconds: number;
  /** Rate wanted, Hz. */
  sampleRate: number;
  /** Stops the work. */
  signal: AbortSignal;
}

/** A file that is audio within the bounds. */
export interface OpenedSound extends DecodedFacts {
  /**
   * Its sound in order, mono, in pieces of some seconds; decoded while it is read, so that a long file never lies in memory as a whole.
   * To be read once. Throws `unsupported_format`, and an AbortError once the signal aborts; leaving the loop ends the work.
   */
  pieces: AsyncIterable<Int16Array>;
}

/** Sound up to this length is held whole: 3.8 MB at 16 kHz. Longer files are decoded twice, the first time only to be measured. */
const WHOLE_SECONDS = 120;
const PIECE_SECONDS = 10;
/** Pieces that are decoded ahead of their reader. */
const AHEAD = 2;

/** Each takes some fifty megabytes while it lives. */
const THREADS = Math.max(3, Math.min(8, availableParallelism()));
/** A long file keeps its thread until it is read: one is left for the others. */
const LONG_FILES = THREADS - 1;
const MAX_QUEUE = 256;
/** New threads compile the decoders anew, which takes more than a second of processor time. */
const IDLE_MS = 300_000;

/** Decoding runs some hundred times faster than real time; what takes longer than this, and a twentieth of its sound, is stuck or hostile. */
const WALL_LIMIT_MS = 30_000;
const WALL_LIMIT_PER_SECOND_MS = 50;
/** A thread that was told to stop stops at its next piece; one that has not by then is ended. */
const STOP_MS = 5000;

let pool: Piscina | null = null;
const longFiles = new Semaphore(LONG_FILES);

function soundPool(): Piscina {
  pool ??= new Piscina({
    filename: new URL("./sound-thread.js", import.meta.url).href,
    minThreads: 0,
    maxThreads: THREADS,
    maxQueue: MAX_QUEUE,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
  });
  return pool;
}

/**
 * Opens an audio file: finds out on a thread of its own what it is and how long it really is, then gives its sound. Takes the memory of `bytes`
 * where they fill it: they are gone for the caller. Throws `unsupported_format` (reason `too_long`, `too_short` or `ffmpeg_missing` where it
 * is one of these), `overloaded` when too many files wait; an aborted signal rejects with an AbortError.
 */
export async function openSound(bytes: Uint8Array, options: OpenSoundOptions): Promise<OpenedSound> {
  const { minSeconds, maxSeconds, sampleRate, signal } = options;
  const threads = soundPool();
  if (threads.queueSize >= MAX_QUEUE) throw new ServiceError("overloaded");
  const limitMs = WALL_LIMIT_MS + Math.ceil(maxSeconds * WALL_LIMIT_PER_SECOND_MS);
  const timeout = AbortSignal.timeout(limitMs);
  const task: SurveyTask = { bytes, minSeconds, maxSeconds, sampleRate, keepSeconds: WHOLE_SECONDS };
  let surveyed: Survey;
  try {
    const run = threads.run(task, { name: "survey", signal: AbortSignal.any([signal, timeout]), transferList: transferable(bytes) });
    surveyed = unpack((await run) as Answer<Survey>);
  } catch (error) {
    if (timeout.aborted && !signal.aborted) throw tooSlow(limitMs, error);
    throw error;
  }
  const { facts, samples, bytes: rest } = surveyed;
  const whole = async function* (): AsyncGenerator<Int16Array> {
    if (samples !== null) yield samples;
  };
  return { ...facts, pieces: rest === null ? whole() : readPieces(rest, { ...options, limitMs }) };
}

async function* readPieces(bytes: Uint8Array, options: OpenSoundOptions & { limitMs: number }): AsyncGenerator<Int16Array> {
  const { maxSeconds, sampleRate, signal, limitMs } = options;
  const release = await longFiles.take(signal);
  const { port1: inbox, port2: port } = new MessageChannel();
  const signals = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  signals[GRANTED] = AHEAD;
  const hardStop = new AbortController();
  const task: PiecesTask = { bytes, maxSeconds, sampleRate, pieceSamples: PIECE_SECONDS * sampleRate, port, signals };
  const running = soundPool().run(task, { name: "pieces", signal: hardStop.signal, transferList: [port, ...transferable(bytes)] });
  const ended = running.then((answer) => unpack(answer as Answer<null>));
  // Whoever waits for a piece hears of a failure; when nobody waits any more it is no news.
  ended.catch(() => undefined);
  const arrivals = new Arrivals(ended, limitMs, signal);
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
    ended.catch(() => undefined).finally(() => {
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

function unpack<T>(answer: Answer<T>): T {
  if ("error" in answer) throw fromErrorRecord(answer.error);
  return answer.value;
}

const tooSlow = (limitMs: number, cause?: unknown): ServiceError => unreadable(`decoding took longer than ${limitMs / 1000} seconds`, undefined, cause);

/** Only memory that holds nothing else may change hands: small Buffers share theirs. */
function transferable(bytes: Uint8Array): ArrayBuffer[] {
  return bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

/** Ends the threads; pending calls reject. For orderly shutdown, and tests. */
export async function closeSoundThreads(): Promise<void> {
  const closing = pool;
  pool = null;
  await closing?.destroy();
}
