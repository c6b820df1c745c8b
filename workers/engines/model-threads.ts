import { Piscina } from "piscina";
import { ServiceError } from "#protocol/errors";

/** Calls that may wait for a thread: the worker takes no more batches than it has threads, times a batch's pieces. */
const MAX_WAITING = 4096;

/**
 * The threads of this process that run graphs, shared by all its models: as many as chunks may run at once. What runs
 * on them is a handler, a module whose default export takes one task; each thread keeps what its handlers have opened.
 */
export class ModelThreads {
  readonly #threads: Piscina<unknown, unknown>;
  readonly #count: number;
  #closed = false;

  constructor(count: number) {
    this.#count = count;
    this.#threads = new Piscina({
      minThreads: count,
      maxThreads: count,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxQueue: MAX_WAITING,
    });
  }

  /**
   * Runs a task on every thread, at a time when none is busy; gives the first one's answer. Rejects with the handler's
   * error.
   */
  async onEach<Answer>(handler: URL, task: unknown): Promise<Answer> {
    const [first] = await Promise.all(Array.from({ length: this.#count }, () => this.run<Answer>(handler, task)));
    return first as Answer;
  }

  /**
   * Runs a task on the next free thread; the memory in `handedOver` goes there with it instead of being copied, and is
   * gone here. Rejects with the handler's error, and once the threads are closed.
   */
  async run<Answer>(handler: URL, task: unknown, handedOver: ArrayBuffer[] = []): Promise<Answer> {
    // The pool itself would start new threads.
    if (this.#closed) throw new ServiceError("engine_failed");
    return (await this.#threads.run(task, { filename: handler.href, transferList: handedOver })) as Answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#threads.destroy();
  }
}
