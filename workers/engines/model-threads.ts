import { setTimeout as delay } from "node:timers/promises";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";
import { ServiceError } from "#protocol/errors";
import { disableTelemetry } from "./onnx/no-telemetry.js";

/** Calls that may wait for a thread: the worker takes no more batches than it has threads, times a batch's pieces. */
const MAX_WAITING = 4096;
/**
 * Nice value of the threads for all work while there are reserved ones: the kernel lets those, and the event loops of
 * all roles, go first (sched(7)). With 5 they took a quarter of a core from a clause that somebody waited for.
 */
const BEHIND_RESERVED = 15;
/** How long `close` waits for what runs: longer than a chunk takes. A call of the runtime does not end before it is through. */
const CLOSE_MS = 5000;

/** Threads for all work, and threads reserved for speech that somebody waits for now. */
export type ThreadKind = "general" | "reserved";

/** What the thread gets besides a task that gives its answer in parts. */
export interface TaskParts {
  /** Takes the parts, then null, and is then closed. */
  port: MessagePort;
  /** Shared with the event loop: not 0 when the answer is not wanted any more. */
  unwanted: Int32Array;
}

/** A task that gives its answer in parts. */
export interface RunningParts<Answer = unknown> {
  /** Resolves once all parts were given. */
  done: Promise<Answer>;
  /** Ends it before its next part. */
  stop(): void;
}

export const allThreads: readonly ThreadKind[] = ["general", "reserved"];

/**
 * The threads of this process that run graphs, shared by all its models: as many as chunks may run at once. What runs
 * on them is a handler, a module whose default export takes one task; each thread keeps what its handlers have opened.
 */
export class ModelThreads {
  readonly #threads: Record<ThreadKind, { count: number; pool: Piscina<unknown, unknown> } | null>;
  readonly #running = new Set<Promise<unknown>>();
  #isBehind = false;
  #closed = false;

  constructor(count: number, reserved = 0) {
    disableTelemetry();
    this.#threads = {
      general: { count, pool: startThreads(count) },
      reserved: reserved > 0 ? { count: reserved, pool: startThreads(reserved) } : null,
    };
  }

  /**
   * Lets the reserved threads, where there are any, go before those for all work from now on. To be called once all that
   * the first work needs is opened: behind everybody else, a worker on a full machine would open its models for minutes.
   */
  async putBehindReserved(): Promise<void> {
    if (this.#threads.reserved === null || this.#isBehind) return;
    this.#isBehind = true;
    await this.onEach(PRIORITY_HANDLER, { nice: BEHIND_RESERVED });
  }

  /**
   * Runs a task on every thread of the given kinds, at a time when none is busy; gives the first one's answer. Rejects
   * with the handler's error, once all threads are through.
   */
  async onEach<Answer>(handler: URL, task: unknown, kinds: readonly ThreadKind[] = ["general"]): Promise<Answer> {
    const runs = kinds.flatMap((threads) =>
      Array.from({ length: this.#threads[threads]?.count ?? 0 }, () => this.run<Answer>(handler, task, { threads })),
    );
    await Promise.allSettled(runs);
    const [first] = await Promise.all(runs);
    return first as Answer;
  }

  /**
   * Runs a task on the next free thread of a kind, a general one where there is none of that kind; what
   * is in `handedOver` goes there with it instead of being copied, and is gone here. Rejects with the handler's error, and
   * once the threads are closed.
   */
  async run<Answer>(
    handler: URL,
    task: unknown,
    { threads = "general", handedOver = [] }: { threads?: ThreadKind; handedOver?: (ArrayBuffer | MessagePort)[] } = {},
  ): Promise<Answer> {
    const chosen = this.#threads[threads] ?? this.#threads.general;
    // The pool itself would start new threads.
    if (this.#closed || chosen === null) throw new ServiceError("engine_failed");
    const answer = chosen.pool.run(task, { filename: handler.href, transferList: handedOver });
    this.#running.add(answer);
    try {
      return (await answer) as Answer;
    } finally {
      this.#running.delete(answer);
    }
  }

  /**
   * Runs a task that gives parts of its answer as they are made (`TaskParts`) on the next free thread of a kind. `done`
   * rejects as `run` does.
   */
  runInParts<Part, Answer = unknown>(
    handler: URL,
    task: object,
    { threads, onPart }: { threads: ThreadKind; onPart: (part: Part) => void },
  ): RunningParts<Answer> {
    const unwanted = new Int32Array(new SharedArrayBuffer(4));
    const { port1, port2 } = new MessageChannel();
    const over = new Promise<void>((resolve, reject) => {
      port1.on("message", (part: Part | null) => {
        try {
          if (part === null) resolve();
          else onPart(part);
        } catch (error) {
          reject(error);
        }
      });
    });
    const run = this.run<Answer>(handler, { ...task, unwanted, port: port2 }, { threads, handedOver: [port2] });
    const done = Promise.all([run, over])
      .then(([answer]) => answer)
      .finally(() => port1.close());
    return {
      done,
      stop() {
        Atomics.store(unwanted, 0, 1);
        Atomics.notify(unwanted, 0);
      },
    };
  }

  /**
   * Ends the threads, once what runs on them is through or after five seconds: a thread that is ended inside a call of
   * onnxruntime-node takes the process with it, since the call then throws where nobody can catch.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const timeUp = new AbortController();
    await Promise.race([
      Promise.allSettled(this.#running),
      delay(CLOSE_MS, undefined, { ref: false, signal: timeUp.signal }),
    ]);
    timeUp.abort();
    await Promise.all(Object.values(this.#threads).map((threads) => threads?.pool.destroy()));
  }
}

const PRIORITY_HANDLER = new URL("./thread-priority.js", import.meta.url);

function startThreads(count: number): Piscina<unknown, unknown> {
  return new Piscina({
    minThreads: count,
    maxThreads: count,
    concurrentTasksPerWorker: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxQueue: MAX_WAITING,
  });
}
