import { Worker } from "node:worker_threads";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import type { AudioEncoder, EncoderPool, EncoderSpec } from "./encoder.js";
import { isEncodedInline, openInlineEncoder } from "./inline-encoder.js";
import type { ThreadReply, ThreadRequest } from "./thread-messages.js";

interface Call {
  stream: number;
  resolve(bytes: Uint8Array): void;
  reject(error: ServiceError): void;
}

/** A thread and what it owes. `dead` threads take no more work. */
interface EncoderThread {
  worker: Worker;
  dead: boolean;
  /** Streams that are open on it. */
  streams: Set<number>;
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
  const thread: EncoderThread = { worker, dead: false, streams: new Set(), calls: new Map() };
  worker.on("message", (reply: ThreadReply) => {
    const call = thread.calls.get(reply.call);
    thread.calls.delete(reply.call);
    if ("bytes" in reply) call?.resolve(reply.bytes);
    else call?.reject(fromErrorRecord(reply.error));
  });
  const die = (cause: unknown): void => {
    thread.dead = true;
    for (const call of thread.calls.values()) call.reject(failure("encoder_thread_ended", cause));
    thread.calls.clear();
  };
  worker.on("error", die);
  worker.on("exit", die);
  return thread;
}

function openStream(thread: EncoderThread, stream: number, spec: EncoderSpec, nextCall: () => number): AudioEncoder {
  let open = true;
  let finished = false;
  thread.streams.add(stream);
  post(thread, { kind: "open", stream, spec });

  function request(kind: "write" | "flush" | "finish", samples?: Int16Array): Promise<Uint8Array> {
    const answer = new Promise<Uint8Array>((resolve, reject) => {
      if (!open || finished) return reject(failure("encoder_closed"));
      finished = kind === "finish";
      if (thread.dead) return reject(failure("encoder_thread_ended"));
      const call = nextCall();
      thread.calls.set(call, { stream, resolve, reject });
      if (samples === undefined) post(thread, { kind: kind as "flush" | "finish", stream, call });
      else post(thread, { kind: "write", stream, call, samples }, transferable(samples));
    });
    // A caller that gave up on the stream may have dropped the promise; its rejection must not end the process.
    answer.catch(() => undefined);
    return answer;
  }

  return {
    write: (samples) => request("write", samples),
    flush: () => request("flush"),
    finish: () => request("finish"),
    close() {
      if (!open) return;
      open = false;
      thread.streams.delete(stream);
      for (const [id, call] of thread.calls) {
        if (call.stream !== stream) continue;
        thread.calls.delete(id);
        call.reject(failure("encoder_closed"));
      }
      if (!thread.dead) post(thread, { kind: "close", stream });
    },
  };
}

function post(thread: EncoderThread, request: ThreadRequest, transfer: ArrayBuffer[] = []): void {
  thread.worker.postMessage(request, transfer);
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
