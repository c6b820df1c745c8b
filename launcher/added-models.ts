import { join } from "node:path";
import type { Config } from "#common/config/config";
import { makePrivateFolder } from "#common/data-directory/data-directory";

/** Where `parley models add` puts models, below the data directory. */
export function addedModelsFolder(dataDirectory: string): string {
  return join(dataDirectory, "models");
}

/**
 * `PARLEY_MODELS` for the workers of this machine: what is configured, then what was added here. The folder is made at
 * once, so that a worker that starts later finds what is added in the meantime.
 */
export function modelFolders(config: Pick<Config, "PARLEY_MODELS">, dataDirectory: string): string {
  const added = addedModelsFolder(dataDirectory);
  makePrivateFolder(added);
  return [...config.PARLEY_MODELS, added].join(",");
}
