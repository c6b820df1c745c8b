import { allThreads, type ModelThreads, type RunningParts, type TaskParts, type ThreadKind } from "../model-threads.js";
import type { OpenedVoice, SpokenRow, ThreadTask, VoiceFiles, WindowSpeech } from "./thread.js";

const handler = new URL("./thread.js", import.meta.url);

/** What a thread is to speak: rows as a whole, or one window by window. */
export type SpeakCall = Omit<Extract<ThreadTask, { kind: "speak" }>, "kind">;
export type WindowsCall = Omit<Extract<ThreadTask, { kind: "speak-windows" }>, "kind" | keyof TaskParts>;

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

  /** Speaks a row window by window: each comes as it is made, all of them before `done` resolves. */
  speakWindows(call: WindowsCall, threads: ThreadKind, onWindow: (window: WindowSpeech) => void): RunningParts {
    return this.#threads.runInParts(handler, { ...call, kind: "speak-windows" }, { threads, onPart: onWindow });
  }
}
