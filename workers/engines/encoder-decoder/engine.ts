import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { Logger } from "#common/log";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import type { Recognizer, RecognitionJob, RecognitionResult } from "../recognizer.js";
import type { ModelThreads } from "../model-threads.js";
import { moonshineSource } from "../moonshine/source.js";
import { whisperSource } from "../whisper/source.js";
import type { Recognized } from "./recognizer.js";
import type { EncoderDecoderSource, EncoderDecoderTask, OpenedModel } from "./thread.js";

/** `threads` are shared: who made them closes them. */
export interface EncoderDecoderOptions {
  model: ModelFolder;
  threads: ModelThreads;
  providers: readonly string[];
  log: Logger;
}

const handler = new URL("./thread.js", import.meta.url);
/**
 * A batch is recognized piece by piece, on as many threads as are free: a long one would keep other callers waiting.
 */
const MAX_BATCH = 4;
const WARM_UP_SECONDS = 1;

const primary = (tag: string): string => tag.split(/[-_]/)[0]?.toLowerCase() ?? "";

/**
 * A recognizer that reads a piece of audio as a whole and writes its text token by token, the likeliest after the
 * likeliest: Whisper or Moonshine. What was said before a piece is not taken into account.
 */
export class EncoderDecoderEngine implements Recognizer {
  readonly #options: EncoderDecoderOptions;
  readonly #source: EncoderDecoderSource;
  readonly #opened: OpenedModel;

  private constructor(options: EncoderDecoderOptions, source: EncoderDecoderSource, opened: OpenedModel) {
    this.#options = options;
    this.#source = source;
    this.#opened = opened;
  }

  /** Opens a model on every thread. Rejects with a `ModelProblem` when its files do not fit together. */
  static async load(options: EncoderDecoderOptions): Promise<EncoderDecoderEngine> {
    const { manifest } = options.model;
    if (manifest.sampleRate !== undefined && manifest.sampleRate !== RECOGNITION_RATE) {
      throw new ModelProblem(`model.yaml says ${manifest.sampleRate} Hz; recognizers take ${RECOGNITION_RATE} Hz`);
    }
    const source = sourceOf(options.model, options.providers);
    const task: EncoderDecoderTask = { kind: "open", source };
    const opened = await options.threads.onEach<OpenedModel>(handler, task).catch((cause: unknown) => {
      // What comes from a thread has lost its class on the way.
      throw new ModelProblem(cause instanceof Error ? cause.message : String(cause), { cause });
    });
    for (const { provider, reason } of opened.refused) {
      options.log.warn(
        { model: manifest.name, provider, reason, using: opened.provider },
        "FALLING BACK: an execution provider does not work here",
      );
    }
    return new EncoderDecoderEngine(options, source, opened);
  }

  describe(): ServedModel {
    const { manifest } = this.#options.model;
    return {
      name: manifest.name,
      task: "transcribe",
      languages: manifest.languages.length > 0 ? manifest.languages : this.#opened.languages,
      sampleRate: RECOGNITION_RATE,
      speakers: [],
      maxBatch: Math.min(MAX_BATCH, Math.max(1, manifest.maxBatch)),
      provider: this.#opened.provider,
    };
  }

  async warmUp(): Promise<void> {
    const samples = Int16Array.from(
      { length: WARM_UP_SECONDS * RECOGNITION_RATE },
      (_, i) => 9000 * Math.sin(i / 5) * Math.sin(i / 1300) ** 2,
    );
    const task: EncoderDecoderTask = {
      kind: "recognize",
      source: this.#source,
      samples,
      language: null,
      unwanted: new Int32Array(1),
    };
    await this.#options.threads.onEach(handler, task).catch((cause: unknown) => {
      throw new ModelProblem(
        `the graphs do not take the inputs of ${this.#source.kind}: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
    });
  }

  async recognize(jobs: RecognitionJob[]): Promise<RecognitionResult[]> {
    return await Promise.all(jobs.map((job) => this.#recognizeOne(job)));
  }

  async close(): Promise<void> {
    // Threads are shared; whoever made them closes them.
  }

  async #recognizeOne({ chunk, samples, signal }: RecognitionJob): Promise<RecognitionResult> {
    const { languages } = this.describe();
    const language = chunk.language === null ? this.#onlyLanguage(languages) : primary(chunk.language);
    if (language !== null && !languages.some((tag) => tag === "*" || primary(tag) === language)) {
      const error = new ServiceError("unsupported_language", { parameters: { languages: languages.join(", ") } });
      return { result: "failed", error, retryable: false };
    }
    if (signal.aborted) return { result: "cancelled" };
    const unwanted = new Int32Array(new SharedArrayBuffer(4));
    const stop = (): void => void Atomics.store(unwanted, 0, 1);
    signal.addEventListener("abort", stop);
    try {
      // A copy: a piece may be a window on a larger buffer, all of which would go to the thread.
      const task: EncoderDecoderTask = {
        kind: "recognize",
        source: this.#source,
        samples: samples.slice(),
        language,
        unwanted,
      };
      const recognized = await this.#options.threads.run<Recognized | null>(handler, task);
      return recognized === null || signal.aborted ? { result: "cancelled" } : { result: "recognized", ...recognized };
    } catch (error) {
      return signal.aborted ? { result: "cancelled" } : { result: "failed", error, retryable: true };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** A model that model.yaml restricts to one language needs not tell it from the audio. */
  #onlyLanguage(languages: readonly string[]): string | null {
    const [only] = languages;
    return languages.length === 1 && only !== undefined && only !== "*" ? primary(only) : null;
  }
}

function sourceOf(model: ModelFolder, providers: readonly string[]): EncoderDecoderSource {
  return model.manifest.engine === "moonshine" ? moonshineSource(model, providers) : whisperSource(model, providers);
}
