import { join } from "node:path";
import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import { DETECTION_CONTEXT_MS, DETECTION_STEP_MS, RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { Logger } from "#common/log";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import type { Recognizer, RecognitionJob, RecognitionResult } from "../recognizer.js";
import type { ModelThreads } from "../model-threads.js";
import type { DetectorRuntime } from "./detector-graph.js";
import { FEATURE_BANDS, OVERHANG_STEPS } from "./features.js";
import type { OpenedDetector, ThreadTask } from "./thread.js";

/** Rows after its own that an answer depends on; the others that the graph sees lie before it. */
const FUTURE_STEPS = DETECTION_CONTEXT_MS.future / DETECTION_STEP_MS - OVERHANG_STEPS;
const MOST_PAST_STEPS = DETECTION_CONTEXT_MS.past / DETECTION_STEP_MS - OVERHANG_STEPS;

const handler = new URL("./thread.js", import.meta.url);

export interface VadEngineOptions {
  model: ModelFolder;
  threads: ModelThreads;
  log: Logger;
}

/**
 * A speech detector, a graph for onnxruntime or for TensorFlow.js. Every piece is recognized by itself, so a batch
 * changes nothing.
 */
export class VadEngine implements Recognizer {
  readonly #model: ModelFolder;
  readonly #graph: { path: string; runtime: DetectorRuntime };
  readonly #threads: ModelThreads;
  readonly #opened: OpenedDetector;
  #closed = false;

  private constructor(
    model: ModelFolder,
    graph: { path: string; runtime: DetectorRuntime },
    threads: ModelThreads,
    opened: OpenedDetector,
  ) {
    this.#model = model;
    this.#graph = graph;
    this.#threads = threads;
    this.#opened = opened;
  }

  /** Loads a detector on every thread. Rejects with the reason when the graph cannot be run or is no detector. */
  static async load({ model, threads, log }: VadEngineOptions): Promise<VadEngine> {
    const { engine, files } = model.manifest;
    if (files.graph === undefined) throw new ModelProblem("files.graph is required");
    const graph = {
      path: join(model.folder, files.graph.path),
      runtime: engine === "tfjs" ? ("tfjs" as const) : ("onnx" as const),
    };
    const task: ThreadTask = { kind: "open", ...graph };
    const opened = await threads.onEach<OpenedDetector>(handler, task).catch((cause: unknown) => {
      throw new ModelProblem(`the graph cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    });
    checkGraph(opened);
    const { provider: using, refused: reason } = opened;
    if (reason !== null)
      log.warn(
        { model: model.manifest.name, reason, using },
        "FALLING BACK: the native TensorFlow.js package does not work here",
      );
    return new VadEngine(model, graph, threads, opened);
  }

  describe(): ServedModel {
    const { name, languages, maxBatch } = this.#model.manifest;
    return {
      name,
      task: "vad",
      languages: languages.length > 0 ? languages : ["*"],
      sampleRate: RECOGNITION_RATE,
      speakers: [],
      maxBatch,
      provider: this.#opened.provider,
    };
  }

  async warmUp(): Promise<void> {
    await this.#threads.onEach(handler, this.#task(new Int16Array(RECOGNITION_RATE)));
  }

  async recognize(jobs: RecognitionJob[]): Promise<RecognitionResult[]> {
    return await Promise.all(jobs.map((job) => this.#recognize(job)));
  }

  async close(): Promise<void> {
    // The threads are shared; whoever made them closes them.
    this.#closed = true;
  }

  async #recognize(job: RecognitionJob): Promise<RecognitionResult> {
    if (job.signal.aborted) return { result: "cancelled" };
    try {
      if (this.#closed) throw new ServiceError("engine_failed");
      // A copy, which the thread gets: the samples may be a view on a larger buffer, and the job keeps them.
      const samples = job.samples.slice();
      const speech = await this.#threads.run<Uint8Array>(handler, this.#task(samples), {
        handedOver: [samples.buffer],
      });
      return job.signal.aborted ? { result: "cancelled" } : { result: "vad", speech };
    } catch (cause) {
      return { result: "failed", error: new ServiceError("engine_failed", { cause }), retryable: true };
    }
  }

  #task(samples: Int16Array): ThreadTask {
    return { kind: "vad", ...this.#graph, futureSteps: FUTURE_STEPS, samples };
  }
}

function checkGraph({ bands, span }: OpenedDetector): void {
  if (bands !== FEATURE_BANDS) throw new ModelProblem(`the graph takes ${bands} bands a step, not ${FEATURE_BANDS}`);
  const most = MOST_PAST_STEPS + FUTURE_STEPS;
  if (span < FUTURE_STEPS || span > most)
    throw new ModelProblem(`an answer depends on ${span} other steps; it may be on ${FUTURE_STEPS} to ${most}`);
}
