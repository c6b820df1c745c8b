import { setMaxListeners } from "node:events";
import { availableParallelism } from "node:os";
import type { MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import type { Answer } from "./decoder-thread.js";
import { Semaphore } from "#common/semaphore";
import { unreadable } from "../unreadable.js";

/** Functions of decoder-thread.ts. */
export type DecoderFunction = "survey" | "pieces" | "decode" | "measure";

/** Each decodes some hundred times faster than it plays; more of them would only hold more memory. */
export const DECODER_THREADS = Math.max(3, Math.min(4, availableParallelism()));

/**
 * What one thread may allocate in its own heap, MB: some ten are needed. A file that makes a parser build more ends its
 * thread. Memory of the decoders themselves is fixed (16 MB each), and what comes out of them lives for a step; the
 * small young generation has it collected soon.
 */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 6 };

const MAX_QUEUE = 256;
/** New threads compile the decoders anew, which takes more than a second of processor time. */
const IDLE_MS = 300_000;

/**
 * Decoding runs some hundred times faster than real time; what takes longer than this, and a twentieth of its audio, is
 * stuck or hostile.
 */
const WALL_LIMIT_MS = 30_000;
const WALL_LIMIT_PER_SECOND_MS = 50;

/**
 * A call that nobody waits for any more may run on for so long. Most end by themselves within it; ending a thread with
 * them would cost the next call a new one, and clients that come and go quickly would keep the processor busy with
 * nothing else.
 */
const ABANDONED_MS = 500;

/** Calls wait here and not in the pool, which cannot tell a call that waits from one that runs. */
const places = new Semaphore(DECODER_THREADS);
const neverAborted = new AbortController().signal;
setMaxListeners(0, neverAborted);

let pool: Piscina | null = null;

/** Made at the first call: most processes never decode. Idle threads do not keep the process alive. */
function decoderPool(): Piscina {
  pool ??= new Piscina({
    filename: new URL("./decoder-thread.js", import.meta.url).href,
    // With none kept, a call that came while all threads were ending would go on waiting: the pool makes new ones for
    // new tasks only.
    minThreads: 1,
    maxThreads: DECODER_THREADS,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    resourceLimits: HEAP_LIMITS,
  });
  return pool;
}

export interface DecoderCall {
  /**
   * Most audio that the call may deal with, seconds: sets how long it may take. Null takes as long as its reader does.
   */
  maxSeconds: number | null;
  /** Stops the work and ends its thread. */
  signal?: AbortSignal | undefined;
  /** Memory and ports of the task that change hands. */
  transferList?: (ArrayBuffer | MessagePort)[];
}

/**
 * Runs a function of decoder-thread.ts on the one pool of decoder threads. What runs too long is ended together with
 * its thread; what nobody waits for any more may come to its own end for a moment first. Throws what the function
 * throws, `overloaded` when too many wait, `unsupported_format` past its limits; an aborted signal rejects with its
 * reason, at once.
 */
export async function runDecoder<T>(
  name: DecoderFunction,
  task: object,
  { maxSeconds, signal, transferList = [] }: DecoderCall,
): Promise<T> {
  if (places.waiting >= MAX_QUEUE) throw new ServiceError("overloaded");
  const leave = await places.take(signal ?? neverAborted);
  if (signal?.aborted === true) {
    leave();
    throw signal.reason;
  }
  const limitMs = maxSeconds === null ? null : decodingLimitMs(maxSeconds);
  const end = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let isLate = false;
  const late = (): void => {
    isLate = true;
    end.abort();
  };
  if (limitMs !== null) timers.push(setTimeout(late, limitMs));
  let abandon = (): void => undefined;
  const abandoned = new Promise<never>((_, reject) => {
    abandon = () => {
      timers.push(setTimeout(() => end.abort(), ABANDONED_MS));
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abandon, { once: true });
  });
  const run = decoderPool().run(task, { name, signal: end.signal, transferList: transferList as never }) as Promise<
    Answer<T>
  >;
  const over = run.finally(() => {
    leave();
    signal?.removeEventListener("abort", abandon);
    for (const timer of timers) clearTimeout(timer);
  });
  try {
    const answer = await Promise.race([over, abandoned]);
    if ("error" in answer) throw fromErrorRecord(answer.error);
    return answer.value;
  } catch (error) {
    if (isLate && limitMs !== null) throw tooSlow(limitMs, error);
    if ((error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY")
      throw unreadable("a file whose structure takes too much memory", undefined, error);
    throw error;
  }
}

/** How long decoding so many seconds may take. */
export function decodingLimitMs(seconds: number): number {
  return WALL_LIMIT_MS + Math.ceil(seconds * WALL_LIMIT_PER_SECOND_MS);
}

export const tooSlow = (limitMs: number, cause?: unknown): ServiceError =>
  unreadable(`decoding took longer than ${limitMs / 1000} seconds`, undefined, cause);

/**
 * Bytes in memory of their own, to be handed to a thread: what holds nothing else is given away as it is, a view is
 * copied, since a thread would get all that the view is part of.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isAlone =
    bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  return isAlone ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

/** Ends the threads; pending calls reject. For orderly shutdown, and tests. */
export async function closeDecoderThreads(): Promise<void> {
  const closing = pool;
  pool = null;
  await closing?.destroy();
}
