import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { InspectionRequest, ModelReport } from "#protocol/models/inspection";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { embeddedModels } from "../repository/embedded.js";
import type { ModelFolder } from "../repository/folder.js";
import { openRepository } from "../repository/repository.js";

export interface InspectOptions {
  log: Logger;
  clock: Clock;
}

/**
 * Looks at model folders: reads and checks what they say of themselves and, where asked, loads and tries each by
 * itself.
 */
export async function* inspectModels(request: InspectionRequest, options: InspectOptions): AsyncGenerator<ModelReport> {
  const { models, broken } = await openRepository(
    request.embedded ? [...request.roots, embeddedModels] : request.roots,
    request.only,
  );
  for (const { folder, name, reason } of broken) {
    yield { ...unread(folder, name), problem: reason };
  }
  // Loaded only when wanted: the runtimes take their time.
  const { tryModel } = request.load ? await import("./trial.js") : { tryModel: null };
  for (const model of models) {
    const described = describeFolder(model);
    if (tryModel === null) yield described;
    else yield { ...described, ...(await tryModel(model, { ...options, providers: request.providers })) };
  }
}

function unread(folder: string, name: string): ModelReport {
  return {
    ...{ name, folder, task: null, engine: null, languages: [], licence: null, problem: null, trial: null },
    bytes: folder === "" ? 0 : folderBytes(folder),
    embedded: dirname(folder) === resolve(embeddedModels),
  };
}

function describeFolder({ folder, manifest }: ModelFolder): ModelReport {
  const { name, task, engine, languages, licence } = manifest;
  return { ...unread(folder, name), task, engine, languages, licence };
}

/** Folders that are gone meanwhile, or never were, have no size. */
function folderBytes(folder: string): number {
  const at = statSync(folder, { throwIfNoEntry: false });
  if (at === undefined) return 0;
  if (!at.isDirectory()) return at.size;
  return readdirSync(folder).reduce((sum, name) => sum + folderBytes(join(folder, name)), 0);
}
