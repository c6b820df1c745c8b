import { allThreads, type ModelThreads, type ThreadKind } from "../model-threads.js";
import type { OpenedVoice, SpokenRow, ThreadTask } from "./thread.js";

const handler = new URL("./thread.js", import.meta.url);

/** What a thread is to speak. */
export type SpeakCall = Omit<Extract<ThreadTask, { kind: "speak" }>, "kind">;

/** Voice graphs on the threads of this process. */
export class SessionPool {
  readonly #threads: ModelThreads;

  constructor(threads: ModelThreads) {
    this.#threads = threads;
  }

  /**
   * Opens a voice on every thread, the reserved ones too. Rejects with the runtime's reason when the graph cannot be
   * loaded.
   */
  async open(path: string, providers: readonly string[]): Promise<OpenedVoice> {
    const task: ThreadTask = { kind: "open", path, providers };
    return await this.#threads.onEach<OpenedVoice>(handler, task, allThreads);
  }

  async speak(call: SpeakCall, threads: ThreadKind = "general"): Promise<SpokenRow[]> {
    const task: ThreadTask = { ...call, kind: "speak" };
    return await this.#threads.run<SpokenRow[]>(handler, task, { threads });
  }
}
