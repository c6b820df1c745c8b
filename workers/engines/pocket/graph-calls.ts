import { ModelProblem } from "../../repository/folder.js";
import { allThreads, type ModelThreads, type RunningParts, type TaskParts, type ThreadKind } from "../model-threads.js";
import type { Ending, Utterance } from "./generation.js";
import type { PocketSource } from "./graphs.js";
import type { EncodedVoice, OpenedPocket, PocketChange, PocketTask } from "./thread.js";

const handler = new URL("./thread.js", import.meta.url);

type SpeakTask = Omit<Extract<PocketTask, { kind: "speak" }>, keyof TaskParts>;

export interface SpeakCall {
  utterance: Utterance;
  change: PocketChange | null;
  threads: ThreadKind;
  onSamples(samples: Int16Array): void;
}

/** Calls a model's graphs on the threads of this process. */
export class PocketCalls {
  readonly opened: OpenedPocket;
  readonly #source: PocketSource;
  readonly #threads: ModelThreads;

  private constructor(opened: OpenedPocket, source: PocketSource, threads: ModelThreads) {
    this.opened = opened;
    this.#source = source;
    this.#threads = threads;
  }

  /** Opens the graphs on every thread. Rejects with a `ModelProblem`. */
  static async open(source: PocketSource, threads: ModelThreads): Promise<PocketCalls> {
    const task: PocketTask = { kind: "open", source };
    const opened = await threads.onEach<OpenedPocket>(handler, task, allThreads).catch((cause: unknown) => {
      // What comes from a thread has lost its class on the way.
      throw new ModelProblem(cause instanceof Error ? cause.message : String(cause), { cause });
    });
    return new PocketCalls(opened, source, threads);
  }

  /** What a recording at the model's rate is to it. */
  async encode(audio: Float32Array, threads: ThreadKind): Promise<EncodedVoice> {
    const task: PocketTask = { kind: "encode", source: this.#source, audio };
    return await this.#threads.run<EncodedVoice>(handler, task, { threads });
  }

  /**
   * Speaks on the next free thread of a kind: samples come as they are made, all of them before `done` resolves. `stop`
   * ends it before the model's next step.
   */
  speak({ utterance, change, threads, onSamples }: SpeakCall): RunningParts<Ending> {
    const task: SpeakTask = { kind: "speak", source: this.#source, utterance, change };
    return this.#threads.runInParts<Int16Array, Ending>(handler, task, { threads, onPart: onSamples });
  }
}
