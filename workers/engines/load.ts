import type { BrokenModel } from "#protocol/bus/membership";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { type ModelFolder, ModelProblem } from "../repository/folder.js";
import type { Repository } from "../repository/repository.js";
import type { SpeechEngine } from "./engine.js";
import type { Recognizer } from "./recognizer.js";
import { CtcEngine } from "./ctc/engine.js";
import { EncoderDecoderEngine } from "./encoder-decoder/engine.js";
import { EspeakEngine } from "./espeak/engine.js";
import { Phonemizer } from "./espeak/phonemizer.js";
import { ModelThreads } from "./model-threads.js";
import { OnnxEngine } from "./onnx/engine.js";
import { SessionPool } from "./onnx/session-pool.js";
import { PocketEngine } from "./pocket/engine.js";
import { VadEngine } from "./vad/engine.js";

export interface LoadOptions {
  slots: number;
  /** Further threads, for speech that somebody waits for now. Only voices are opened there. */
  reservedSlots?: number;
  providers: readonly string[];
  /** Words that recognizers find more readily; none when absent. */
  keyterms?: readonly string[];
  log: Logger;
  clock: Clock;
}

/** The engines of a worker, by model name: `engines` speak, `recognizers` recognize. */
export interface LoadedEngines {
  engines: Map<string, SpeechEngine>;
  recognizers: Map<string, Recognizer>;
  broken: BrokenModel[];
  close(): Promise<void>;
}

/** Loads and warms every model; one that cannot be loaded is reported and the others serve. */
export async function loadEngines(repository: Repository, options: LoadOptions): Promise<LoadedEngines> {
  const { log, clock, slots } = options;
  const engines = new Map<string, SpeechEngine>();
  const recognizers = new Map<string, Recognizer>();
  const broken: BrokenModel[] = repository.broken.map(({ name, reason }) => ({ name, reason }));
  const phonemizer = new Phonemizer({ log, clock });
  // Made when the first graph needs them: a worker may serve espeak alone.
  let threads: ModelThreads | null = null;
  const sharedThreads = (): ModelThreads => {
    threads ??= new ModelThreads(slots, options.reservedSlots);
    return threads;
  };
  const putBehindReserved = async (): Promise<void> => await threads?.putBehindReserved();
  const loadVoice = async (model: ModelFolder): Promise<SpeechEngine> => {
    if (model.manifest.engine === "espeak")
      return await EspeakEngine.load({ name: model.manifest.name, slots, log, clock });
    if (model.manifest.engine === "pocket")
      return await PocketEngine.load({ model, threads: sharedThreads(), providers: options.providers, log });
    return await OnnxEngine.load({
      model,
      pool: new SessionPool(sharedThreads()),
      phonemizer,
      providers: options.providers,
      log,
    });
  };
  const loadRecognizer = async (model: ModelFolder): Promise<Recognizer> => {
    if (model.manifest.engine === "ctc")
      return await CtcEngine.load({
        model,
        threads: sharedThreads(),
        providers: options.providers,
        ...(options.keyterms === undefined ? {} : { keyterms: options.keyterms }),
        log,
      });
    if (model.manifest.engine === "whisper" || model.manifest.engine === "moonshine")
      return await EncoderDecoderEngine.load({ model, threads: sharedThreads(), providers: options.providers, log });
    if (model.manifest.engine === "onnx-vad" || model.manifest.engine === "tfjs")
      return await VadEngine.load({ model, threads: sharedThreads(), log });
    throw new ModelProblem(`the engine ${model.manifest.engine} does not run here`);
  };
  for (const model of repository.models) {
    const { name, task } = model.manifest;
    try {
      if (task === "speak") engines.set(name, await warm(await loadVoice(model)));
      else recognizers.set(name, await warm(await loadRecognizer(model)));
    } catch (error) {
      broken.push({ name, reason: reasonOf(error) });
    }
  }
  await putBehindReserved();
  for (const { name, reason } of broken) log.error({ model: name, reason }, "this model is not served");
  return {
    engines,
    recognizers,
    broken,
    async close() {
      await Promise.all([...engines.values(), ...recognizers.values()].map((engine) => engine.close()));
      await Promise.all([threads?.close(), phonemizer.close()]);
    },
  };
}

async function warm<E extends { warmUp(): Promise<void> }>(engine: E): Promise<E> {
  await engine.warmUp();
  return engine;
}

/** The deepest cause says what happened; what is around it says only that it happened here. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 500);
  const { message } = error instanceof ModelProblem || !(error.cause instanceof Error) ? error : error.cause;
  return message.slice(0, 500);
}
