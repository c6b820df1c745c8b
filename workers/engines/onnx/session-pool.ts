import { allThreads, type ModelThreads, type ThreadKind } from "../model-threads.js";
import type { BegunSpeech, OpenedVoice, SpokenRow, ThreadTask, VoiceFiles, WindowSpeech } from "./thread.js";

const handler = new URL("./thread.js", import.meta.url);

/** What a thread is to speak: whole rows, the first window of a row, a further one. */
export type SpeakCall = Omit<Extract<ThreadTask, { kind: "speak" }>, "kind">;
export type BeginCall = Omit<Extract<ThreadTask, { kind: "begin" }>, "kind">;
export type NextCall = Omit<Extract<ThreadTask, { kind: "next" }>, "kind">;

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
  async open(voice: VoiceFiles, providers: readonly string[]): Promise<OpenedVoice> {
    const task: ThreadTask = { kind: "open", voice, providers };
    return await this.#threads.onEach<OpenedVoice>(handler, task, allThreads);
  }

  async speak(call: SpeakCall, threads: ThreadKind = "general"): Promise<SpokenRow[]> {
    const task: ThreadTask = { ...call, kind: "speak" };
    return await this.#threads.run<SpokenRow[]>(handler, task, { threads });
  }

  async begin(call: BeginCall, threads: ThreadKind): Promise<BegunSpeech> {
    const task: ThreadTask = { ...call, kind: "begin" };
    return await this.#threads.run<BegunSpeech>(handler, task, { threads });
  }

  async next(call: NextCall, threads: ThreadKind): Promise<WindowSpeech> {
    const task: ThreadTask = { ...call, kind: "next" };
    return await this.#threads.run<WindowSpeech>(handler, task, { threads });
  }
}
