import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#common/config/config";

/** Where `parley models add` puts models, below the data directory. */
export function addedModelsFolder(dataDirectory: string): string {
  return join(dataDirectory, "models");
}

/**
 * `PARLEY_MODELS` for the workers of this machine: what is configured, then what was added here. The folder is made at once, so that a worker
 * that starts later finds what is added in the meantime.
 */
export function modelFolders(config: Pick<Config, "PARLEY_MODELS">, dataDirectory: string): string {
  const added = addedModelsFolder(dataDirectory);
  mkdirSync(added, { recursive: true, mode: 0o700 });
  return [...config.PARLEY_MODELS, added].join(",");
}
