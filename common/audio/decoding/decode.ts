import { Piscina } from "piscina";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import type { Pcm } from "../pcm.js";
import type { Answer } from "./decode-thread.js";
import { unreadable } from "./failures.js";
import type { DecodedAudio } from "./mono-sink.js";

export type { DecodedAudio } from "./mono-sink.js";

export interface DecodeOptions {
  /** Longest sound allowed, in seconds of decoded sound. */
  maxSeconds: number;
  /** Largest file taken. */
  maxInputBytes?: number;
  /** Rate wanted, Hz; the file's own when absent. Converting while decoding keeps memory small. */
  sampleRate?: number;
  /** Stops the work and ends its thread. */
  signal?: AbortSignal;
}

/** Decoding runs some hundred times faster than real time; what takes longer than this, and a twentieth of its sound, is stuck or hostile. */
const WALL_LIMIT_MS = 30_000;
const WALL_LIMIT_PER_SECOND_MS = 50;
const THREADS = 2;
const MAX_QUEUE = 64;
const IDLE_MS = 60_000;

let pool: Piscina | null = null;

/** Made at the first call: most processes never decode. Idle threads do not keep the process alive. */
function decodePool(): Piscina {
  pool ??= new Piscina({
    filename: new URL("./decode-thread.js", import.meta.url).href,
    minThreads: 0,
    maxThreads: THREADS,
    maxQueue: MAX_QUEUE,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
  });
  return pool;
}

/**
 * Decodes an audio file to mono samples on a thread of its own. The format is told by the content. Errors: `unsupported_format` (not audio,
 * damaged, a codec that cannot be read; reason `too_long` past `maxSeconds`, `ffmpeg_missing` where ffmpeg would read it), `payload_too_large`
 * past `maxInputBytes`, `overloaded` when too many files wait. An aborted `signal` rejects with an AbortError.
 */
export async function decodeAudio(bytes: Uint8Array, options: DecodeOptions): Promise<DecodedAudio> {
  const { maxSeconds, maxInputBytes = Number.POSITIVE_INFINITY, sampleRate = null, signal } = options;
  if (bytes.length > maxInputBytes) throw new ServiceError("payload_too_large", { parameters: { limitBytes: maxInputBytes } });
  return runOnDecodeThread<DecodedAudio>("decode", { bytes, bounds: { maxSeconds, sampleRate } }, { maxSeconds, signal });
}

/** The same sound at another rate, computed on a decode thread. */
export async function resamplePcm(pcm: Pcm, sampleRate: number): Promise<Pcm> {
  if (pcm.sampleRate === sampleRate) return pcm;
  return runOnDecodeThread<Pcm>("resample", { pcm, sampleRate }, { maxSeconds: pcm.samples.length / pcm.sampleRate });
}

export interface ThreadLimits {
  /** Most sound that the call may deal with: sets how long it may take. */
  maxSeconds: number;
  signal?: AbortSignal;
}

/** Runs a function of decode-thread.ts; what runs too long is ended together with its thread. */
export async function runOnDecodeThread<T>(name: "decode" | "measure" | "resample", task: object, limits: ThreadLimits): Promise<T> {
  const threads = decodePool();
  if (threads.queueSize >= MAX_QUEUE) throw new ServiceError("overloaded");
  const limitMs = WALL_LIMIT_MS + Math.ceil(limits.maxSeconds * WALL_LIMIT_PER_SECOND_MS);
  const timeout = AbortSignal.timeout(limitMs);
  const signal = limits.signal === undefined ? timeout : AbortSignal.any([limits.signal, timeout]);
  try {
    const answer = (await threads.run(task, { name, signal })) as Answer<T>;
    if ("error" in answer) throw fromErrorRecord(answer.error);
    return answer.value;
  } catch (error) {
    const isTimeout = timeout.aborted && limits.signal?.aborted !== true;
    if (isTimeout) throw unreadable(`decoding took longer than ${limitMs / 1000} seconds`, undefined, error);
    throw error;
  }
}

/** Ends the decode threads; pending calls reject. For orderly shutdown, and tests. */
export async function closeDecodeThreads(): Promise<void> {
  const closing = pool;
  pool = null;
  await closing?.destroy();
}
