import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { createLogger } from "#common/log";
import type { VirtualClock } from "#common/clock";
import type {
  RecognitionClient,
  RecognitionOutput,
  RecognitionStream,
  RecognitionStreamSettings,
} from "#transcription/recognition/recognition-client";
import { CtcEngine } from "#workers/engines/ctc/engine";
import { ModelThreads } from "#workers/engines/model-threads";
import type { Recognizer } from "#workers/engines/recognizer";
import { recognizeOne } from "#workers/engines/testing/recognize";
import { VadEngine } from "#workers/engines/vad/engine";
import { readModelFolder } from "#workers/repository/folder";

/** `dist/bench/turn` → `models`. */
const models = join(import.meta.dirname, "../../../models");

export interface Engines {
  recognizer: Recognizer;
  detector: Recognizer;
  close(): Promise<void>;
}

/** Opens the models that come with Parley, on one thread of this process. */
export async function openEngines(): Promise<Engines> {
  const threads = new ModelThreads(1);
  const log = createLogger("bench", "silent");
  const model = (name: string) => readModelFolder(join(models, name));
  const recognizer = await CtcEngine.load({ model: await model("parley-asr-en"), threads, providers: ["cpu"], log });
  const detector = await VadEngine.load({ model: await model("parley-vad"), threads, log });
  return { recognizer, detector, close: () => threads.close() };
}

/** What one piece costs on the way and in the engine, as measured on an idle cluster of one machine. */
export function answerAfterMs(task: RecognitionStreamSettings["task"], samples: number): number {
  const seconds = samples / RECOGNITION_RATE;
  return task === "vad" ? 10 + (seconds / 795) * 1000 : 15 + (seconds / 190) * 1000;
}

/** The way to the engines in virtual time: answers are the engines' own, and come after the time that they usually take. */
export class EngineRecognition implements Pick<RecognitionClient, "open"> {
  readonly seconds = { transcribe: 0, vad: 0 };
  readonly pieces = { transcribe: 0, vad: 0 };
  readonly #engines: Engines;
  readonly #clock: VirtualClock;
  readonly #running = new Set<Promise<unknown>>();

  constructor(engines: Engines, clock: VirtualClock) {
    this.#engines = engines;
    this.#clock = clock;
  }

  open({ task }: RecognitionStreamSettings): RecognitionStream {
    const closed = new AbortController();
    return {
      recognize: (samples, { signal }) =>
        this.#recognize(task, samples, signal === undefined ? closed.signal : AbortSignal.any([closed.signal, signal])),
      close: () => closed.abort(),
    };
  }

  /** Resolves when every engine call is over and what came of it is with those who wait. */
  async settle(): Promise<void> {
    do {
      await Promise.all(this.#running);
      await nextTurn();
    } while (this.#running.size > 0);
  }

  async #recognize(task: "transcribe" | "vad", samples: Int16Array, signal: AbortSignal): Promise<RecognitionOutput> {
    this.seconds[task] += samples.length / RECOGNITION_RATE;
    this.pieces[task]++;
    const dueMs = this.#clock.nowMs() + answerAfterMs(task, samples.length);
    const engine = task === "vad" ? this.#engines.detector : this.#engines.recognizer;
    const call = recognizeOne(engine, samples);
    this.#running.add(call);
    const result = await call.finally(() => this.#running.delete(call));
    await new Promise<void>((resolve) => this.#clock.after(dueMs - this.#clock.nowMs(), resolve));
    signal.throwIfAborted();
    if (result.result === "vad") return { task: "vad", speech: result.speech };
    if (result.result !== "recognized") throw new RangeError(result.result);
    return { task: "transcribe", words: result.words, language: "en" };
  }
}
