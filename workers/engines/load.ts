import type { BrokenModel } from "#protocol/bus/membership";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { ModelFolder } from "../repository/folder.js";
import type { Repository } from "../repository/repository.js";
import type { SpeechEngine } from "./engine.js";
import { EspeakEngine } from "./espeak/engine.js";

export interface LoadOptions {
  slots: number;
  providers: readonly string[];
  log: Logger;
  clock: Clock;
}

/** Loads and warms every model; one that cannot be loaded is reported and the others serve. */
export async function loadEngines(repository: Repository, options: LoadOptions): Promise<{ engines: Map<string, SpeechEngine>; broken: BrokenModel[] }> {
  const engines = new Map<string, SpeechEngine>();
  const broken: BrokenModel[] = repository.broken.map(({ name, reason }) => ({ name, reason }));
  for (const model of repository.models) {
    const name = model.manifest.name;
    try {
      const engine = await loadEngine(model, options);
      await engine.warmUp();
      engines.set(name, engine);
    } catch (error) {
      options.log.error({ err: error, model: name }, "a model could not be loaded");
      broken.push({ name, reason: reasonOf(error) });
    }
  }
  for (const { name, reason } of broken) options.log.warn({ model: name, reason }, "this model is not served");
  return { engines, broken };
}

async function loadEngine(model: ModelFolder, options: LoadOptions): Promise<SpeechEngine> {
  switch (model.manifest.engine) {
    case "espeak":
      return await EspeakEngine.load({ name: model.manifest.name, slots: options.slots, log: options.log, clock: options.clock });
    case "onnx":
      throw new Error("not yet");
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 500);
  const deepest = error.cause instanceof Error ? error.cause.message : error.message;
  return deepest.slice(0, 500);
}
