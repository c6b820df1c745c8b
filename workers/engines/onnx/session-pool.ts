import { Piscina } from "piscina";
import type { OpenedVoice, SpokenRow, ThreadTask } from "./thread.js";

/** Calls that may wait for a thread: the worker takes no more batches than it has threads, times a batch's pieces. */
const MAX_WAITING = 4096;

/** The threads of this process that run voice graphs, shared by all its voices. */
export class SessionPool {
  readonly #threads: Piscina<ThreadTask, OpenedVoice | SpokenRow[]>;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
    this.#threads = new Piscina({
      filename: new URL("./thread.js", import.meta.url).href,
      minThreads: count,
      maxThreads: count,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxQueue: MAX_WAITING,
    });
  }

  /** Opens a voice on every thread. Rejects with the runtime's reason when the graph cannot be loaded. */
  async open(path: string, providers: readonly string[]): Promise<OpenedVoice> {
    const task: ThreadTask = { kind: "open", path, providers };
    const [first] = await Promise.all(Array.from({ length: this.#count }, () => this.#threads.run(task)));
    return first as OpenedVoice;
  }

  async speak(task: Omit<Extract<ThreadTask, { kind: "speak" }>, "kind">): Promise<SpokenRow[]> {
    return (await this.#threads.run({ ...task, kind: "speak" })) as SpokenRow[];
  }

  async close(): Promise<void> {
    await this.#threads.destroy();
  }
}
