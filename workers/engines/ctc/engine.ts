import { join } from "node:path";
import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import { type RecognizedWord, RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { Logger } from "#common/log";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import type { Recognizer, RecognitionJob, RecognitionResult } from "../recognizer.js";
import type { ModelThreads } from "../model-threads.js";
import type { RecognizerSource } from "./recognizer.js";
import type { RecognizerTask, OpenedRecognizer } from "./thread.js";

export interface CtcEngineOptions {
  model: ModelFolder;
  threads: ModelThreads;
  providers: readonly string[];
  /** Words that are found more readily in all audio; none when absent. */
  keyterms?: readonly string[];
  log: Logger;
}

/** Tuned on human speech with the recognizer that comes with Parley; `decoding` in model.yaml changes them. */
const defaultDecoding = { lmWeight: 0.9, wordBonus: 0.5, beam: 400, threshold: 15, startBiasMs: 39, endBiasMs: -9 };

const handler = new URL("./thread.js", import.meta.url);
const WARM_UP_SECONDS = 1;
/**
 * On the processor a batch is recognized piece after piece by one thread: a long one would only leave other threads
 * idle.
 */
const PROCESSOR_BATCH = 4;

/**
 * A recognizer that gives log probabilities of symbols for every frame (connectionist temporal classification), in the
 * form of icefall's zipformer or of NeMo. On the processor one call of the graph recognizes one piece, since batches
 * inside a call are no faster there; other providers recognize a batch in one call.
 */
export class CtcEngine implements Recognizer {
  readonly #options: CtcEngineOptions;
  readonly #source: RecognizerSource;
  readonly #opened: OpenedRecognizer;

  private constructor(options: CtcEngineOptions, source: RecognizerSource, opened: OpenedRecognizer) {
    this.#options = options;
    this.#source = source;
    this.#opened = opened;
  }

  /**
   * Opens a recognizer on every thread. Rejects with a `ModelProblem` when graph, tokens and words do not fit together.
   */
  static async load(options: CtcEngineOptions): Promise<CtcEngine> {
    const { manifest, folder } = options.model;
    const { graph, int8, tokens, words } = manifest.files;
    if (graph === undefined || tokens === undefined)
      throw new ModelProblem("files.graph and files.tokens are required");
    if (manifest.sampleRate !== undefined && manifest.sampleRate !== RECOGNITION_RATE) {
      throw new ModelProblem(`model.yaml says ${manifest.sampleRate} Hz; recognizers take ${RECOGNITION_RATE} Hz`);
    }
    const source: RecognizerSource = {
      graphPath: join(folder, graph.path),
      int8Path: int8 === undefined ? null : join(folder, int8.path),
      tokensPath: join(folder, tokens.path),
      wordsPath: words === undefined ? null : join(folder, words.path),
      layout: manifest.layout,
      providers: options.providers,
      decoding: { ...defaultDecoding, ...manifest.decoding },
    };
    const task: RecognizerTask = { kind: "open", source };
    const opened = await options.threads.onEach<OpenedRecognizer>(handler, task).catch((cause: unknown) => {
      // What comes from a thread has lost its class on the way.
      throw new ModelProblem(cause instanceof Error ? cause.message : String(cause), { cause });
    });
    for (const { provider, reason } of opened.refused) {
      options.log.warn(
        { model: manifest.name, provider, reason, using: opened.provider },
        "FALLING BACK: an execution provider does not work here",
      );
    }
    return new CtcEngine(options, source, opened);
  }

  describe(): ServedModel {
    const { manifest } = this.#options.model;
    return {
      name: manifest.name,
      task: "transcribe",
      languages: manifest.languages.length > 0 ? manifest.languages : ["*"],
      sampleRate: RECOGNITION_RATE,
      speakers: [],
      maxBatch: this.#opened.provider === "cpu" ? Math.min(PROCESSOR_BATCH, manifest.maxBatch) : manifest.maxBatch,
      provider: this.#opened.provider,
    };
  }

  async warmUp(): Promise<void> {
    const task: RecognizerTask = {
      kind: "recognize",
      source: this.#source,
      pieces: [{ samples: restlessAudio(WARM_UP_SECONDS), keyterms: this.#keyterms() }],
      unwanted: new Int32Array(1),
    };
    await this.#options.threads.onEach(handler, task);
  }

  async recognize(jobs: RecognitionJob[]): Promise<RecognitionResult[]> {
    if (this.#opened.provider !== "cpu") return await this.#recognizeTogether(jobs);
    const results: RecognitionResult[] = [];
    for (const job of jobs) results.push(...(await this.#recognizeTogether([job])));
    return results;
  }

  async close(): Promise<void> {
    // Threads are shared; whoever made them closes them.
  }

  async #recognizeTogether(jobs: readonly RecognitionJob[]): Promise<RecognitionResult[]> {
    const languages = jobs.map(({ chunk }) => this.#languageFor(chunk.language));
    const wanted = jobs.flatMap((job, at) => (job.signal.aborted || languages[at] === null ? [] : [{ job, at }]));
    const unwanted = new Int32Array(new SharedArrayBuffer(4 * Math.max(1, wanted.length)));
    const stops = wanted.map((_, piece) => () => void Atomics.store(unwanted, piece, 1));
    for (const [piece, { job }] of wanted.entries()) job.signal.addEventListener("abort", stops[piece] as () => void);
    const results = jobs.map((job, at): RecognitionResult => {
      if (job.signal.aborted) return { result: "cancelled" };
      const error = new ServiceError("unsupported_language", {
        parameters: { languages: this.describe().languages.join(", ") },
      });
      return languages[at] === null ? { result: "failed", error, retryable: false } : { result: "cancelled" };
    });
    try {
      // Copies, which the thread gets: a piece may be a window on a larger buffer, and the jobs keep theirs.
      const pieces = wanted.map(({ job }) => ({
        samples: job.samples.slice(),
        keyterms: this.#keyterms(job.chunk.keyterms),
      }));
      const task: RecognizerTask = { kind: "recognize", source: this.#source, pieces, unwanted };
      const buffers = pieces.map(({ samples }) => samples.buffer);
      const recognized =
        wanted.length === 0
          ? []
          : await this.#options.threads.run<(RecognizedWord[] | null)[]>(handler, task, { handedOver: buffers });
      for (const [piece, { job, at }] of wanted.entries()) {
        const words = recognized[piece] ?? null;
        if (words !== null && !job.signal.aborted)
          results[at] = { result: "recognized", words, language: languages[at] as string };
      }
    } catch (error) {
      for (const { job, at } of wanted)
        if (!job.signal.aborted) results[at] = { result: "failed", error, retryable: true };
    } finally {
      for (const [piece, { job }] of wanted.entries())
        job.signal.removeEventListener("abort", stops[piece] as () => void);
    }
    return results;
  }

  /** The caller's words, which matter more to this audio, then those of the deployment. */
  #keyterms(ofCaller: readonly string[] = []): readonly string[] {
    return [...ofCaller, ...(this.#options.keyterms ?? [])];
  }

  /**
   * The language that is recognized when the caller names one, by primary subtag; null when this recognizer does not
   * know it.
   */
  #languageFor(named: string | null): string | null {
    const { languages } = this.describe();
    const primary = (tag: string): string => tag.split(/[-_]/)[0]?.toLowerCase() ?? "";
    if (languages.includes("*")) return named === null ? "und" : primary(named);
    if (named === null) return primary(languages[0] as string);
    return languages.some((tag) => primary(tag) === primary(named)) ? primary(named) : null;
  }
}

/** Tones that come and go, so that no part of the way is left out for want of audio; the same at each start. */
function restlessAudio(seconds: number): Int16Array {
  return Int16Array.from({ length: seconds * RECOGNITION_RATE }, (_, i) => {
    const second = i / RECOGNITION_RATE;
    return (
      9000 *
      Math.sin(2 * Math.PI * (300 + 200 * Math.floor(second * 8)) * second) *
      Math.sin(2 * Math.PI * 4 * second) ** 2
    );
  });
}
