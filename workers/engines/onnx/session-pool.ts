import type { ModelThreads } from "../model-threads.js";
import type { OpenedVoice, SpokenRow, ThreadTask } from "./thread.js";

const handler = new URL("./thread.js", import.meta.url);

/** Voice graphs on the threads of this process. */
export class SessionPool {
  readonly #threads: ModelThreads;

  constructor(threads: ModelThreads) {
    this.#threads = threads;
  }

  /** Opens a voice on every thread. Rejects with the runtime's reason when the graph cannot be loaded. */
  async open(path: string, providers: readonly string[]): Promise<OpenedVoice> {
    const task: ThreadTask = { kind: "open", path, providers };
    return await this.#threads.onEach<OpenedVoice>(handler, task);
  }

  async speak(call: Omit<Extract<ThreadTask, { kind: "speak" }>, "kind">): Promise<SpokenRow[]> {
    const task: ThreadTask = { ...call, kind: "speak" };
    return await this.#threads.run<SpokenRow[]>(handler, task);
  }
}
