import { Worker } from "node:worker_threads";
import { Heap } from "#common/heap";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import type { AudioEncoder, EncoderPool, EncoderSpec } from "./encoder.js";
import { isEncodedInline, openInlineEncoder } from "./inline-encoder.js";
import type { ThreadReply, ThreadRequest } from "./thread-messages.js";

/** Calls that a thread has at once: the one that it carries out, and one so that it is not idle after it. */
const CALLS_AT_THREAD = 2;

interface Call {
  request: Exclude<ThreadRequest, { kind: "open" | "close" }>;
  dueMs: number;
  /** Nobody waits for it any more. */
  isOver: boolean;
  resolve(bytes: Uint8Array): void;
  reject(error: ServiceError): void;
}

/** A thread and what it owes. `dead` threads take no more work. */
interface EncoderThread {
  worker: Worker;
  dead: boolean;
  /** Streams that are open on it. */
  streams: Set<number>;
  /** Calls that it does not have yet, the most urgent first. */
  waiting: Heap<Call>;
  /** Calls that it has, by their number. */
  calls: Map<number, Call>;
}

export interface EncoderPoolOptions {
  threads: number;
  /** How a thread is started; tests pass their own to reach the threads. */
  startWorker?: () => Worker;
}

/** A fresh encoder thread. */
export function startEncoderWorker(): Worker {
  return new Worker(new URL("./encoder-thread.js", import.meta.url));
}

/**
 * Starts `threads` encoder threads. A new stream goes to the thread with the fewest open streams and stays there.
 * When a thread dies, the calls of its streams reject with `internal`, and another takes its place. PCM and WAV need no
 * thread.
 */
export function createEncoderPool({ threads, startWorker = startEncoderWorker }: EncoderPoolOptions): EncoderPool {
  let nextId = 1;
  let closed = false;
  const slots: EncoderThread[] = Array.from({ length: Math.max(1, threads) }, () => startThread(startWorker()));

  /**
   * The least busy thread, in a living state. Dead ones are replaced here, so that a thread that cannot start does not
   * spin.
   */
  function chooseThread(): EncoderThread {
    for (const [index, thread] of slots.entries()) if (thread.dead) slots[index] = startThread(startWorker());
    return slots.reduce((best, thread) => (thread.streams.size < best.streams.size ? thread : best));
  }

  return {
    open(spec) {
      if (closed) throw failure("encoder_pool_closed");
      if (isEncodedInline(spec)) return openInlineEncoder(spec);
      return openStream(chooseThread(), nextId++, spec, () => nextId++);
    },
    async close() {
      closed = true;
      await Promise.all(slots.map((thread) => thread.worker.terminate()));
    },
  };
}

function startThread(worker: Worker): EncoderThread {
  const waiting = new Heap<Call>((a, b) => (a.dueMs === b.dueMs ? a.request.call < b.request.call : a.dueMs < b.dueMs));
  const thread: EncoderThread = { worker, dead: false, streams: new Set(), waiting, calls: new Map() };
  worker.on("message", (reply: ThreadReply) => {
    const call = thread.calls.get(reply.call);
    thread.calls.delete(reply.call);
    handOut(thread);
    if ("bytes" in reply) call?.resolve(reply.bytes);
    else call?.reject(fromErrorRecord(reply.error));
  });
  const die = (cause: unknown): void => {
    thread.dead = true;
    const owed = [...thread.calls.values()];
    for (let call = waiting.pop(); call !== undefined; call = waiting.pop()) owed.push(call);
    for (const call of owed) call.reject(failure("encoder_thread_ended", cause));
    thread.calls.clear();
  };
  worker.on("error", die);
  worker.on("exit", die);
  return thread;
}

/** Gives a thread its next calls, the most urgent first. */
function handOut({ worker, calls, waiting }: EncoderThread): void {
  while (calls.size < CALLS_AT_THREAD) {
    const call = waiting.pop();
    if (call === undefined) return;
    if (call.isOver) continue;
    const { request } = call;
    calls.set(request.call, call);
    worker.postMessage(request, request.kind === "write" ? transferable(request.samples) : []);
  }
}

function openStream(thread: EncoderThread, stream: number, spec: EncoderSpec, nextCall: () => number): AudioEncoder {
  let open = true;
  let finished = false;
  /** A call never overtakes an earlier one of its stream. */
  let lastDueMs = Number.NEGATIVE_INFINITY;
  const own = new Set<Call>();
  thread.streams.add(stream);
  post(thread, { kind: "open", stream, spec });

  function take(request: Call["request"], dueMs: number): Promise<Uint8Array> {
    const answer = new Promise<Uint8Array>((resolve, reject) => {
      if (!open || finished) return reject(failure("encoder_closed"));
      finished = request.kind === "finish";
      if (thread.dead) return reject(failure("encoder_thread_ended"));
      lastDueMs = Math.max(lastDueMs, dueMs);
      const call: Call = {
        ...{ request, dueMs: lastDueMs, isOver: false },
        resolve: (bytes) => {
          own.delete(call);
          resolve(bytes);
        },
        reject: (error) => {
          own.delete(call);
          reject(error);
        },
      };
      own.add(call);
      thread.waiting.push(call);
      handOut(thread);
    });
    // A caller that gave up on the stream may have dropped the promise; its rejection must not end the process.
    answer.catch(() => undefined);
    return answer;
  }

  return {
    write: (samples, dueMs = lastDueMs) => take({ kind: "write", stream, call: nextCall(), samples }, dueMs),
    flush: () => take({ kind: "flush", stream, call: nextCall() }, lastDueMs),
    finish: () => take({ kind: "finish", stream, call: nextCall() }, lastDueMs),
    close() {
      if (!open) return;
      open = false;
      thread.streams.delete(stream);
      for (const call of own) {
        call.isOver = true;
        call.reject(failure("encoder_closed"));
      }
      if (!thread.dead) post(thread, { kind: "close", stream });
    },
  };
}

function post(thread: EncoderThread, request: ThreadRequest): void {
  thread.worker.postMessage(request);
}

/** Only a buffer that the samples span wholly may be taken away; a slice of a message or of pooled memory is copied. */
function transferable(samples: Int16Array): ArrayBuffer[] {
  const { buffer } = samples;
  return buffer instanceof ArrayBuffer && buffer.byteLength === samples.byteLength && samples.byteLength > 0
    ? [buffer]
    : [];
}

function failure(reason: string, cause?: unknown): ServiceError {
  return new ServiceError("internal", { reason, cause });
}
