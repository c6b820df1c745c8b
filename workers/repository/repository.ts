import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import {
  type BrokenFolder,
  isModelFolder,
  isWholeModelFolder,
  type ModelFolder,
  ModelProblem,
  readModelFolder,
} from "./folder.js";

/** Everything found: models to load, and folders that cannot be, each with its reason. */
export interface Repository {
  models: ModelFolder[];
  broken: BrokenFolder[];
}

/**
 * Looks for model folders. Each root is a folder of model folders, or one model folder itself. Of two models with one
 * name the first is served: the user's roots come before the embedded one. `only` names the models to take, all when
 * empty.
 */
export async function openRepository(roots: readonly string[], only: readonly string[]): Promise<Repository> {
  const found: Repository = { models: [], broken: [] };
  for (const root of roots) {
    for (const folder of foldersIn(resolve(root), found, only)) await readInto(found, folder, only);
  }
  for (const name of only) {
    const known =
      found.models.some((model) => model.manifest.name === name) || found.broken.some((model) => model.name === name);
    if (!known) found.broken.push({ folder: "", name, reason: "no model folder has this name" });
  }
  return found;
}

async function readInto(found: Repository, folder: string, only: readonly string[]): Promise<void> {
  try {
    const model = await readModelFolder(folder);
    const name = model.manifest.name;
    if (only.length > 0 && !only.includes(name)) return;
    const earlier = found.models.find((candidate) => candidate.manifest.name === name);
    if (earlier === undefined) found.models.push(model);
    else found.broken.push({ folder, name, reason: `the name is taken by ${earlier.folder}` });
  } catch (error) {
    const name = basename(folder);
    if (only.length > 0 && !only.includes(name)) return;
    const reason =
      error instanceof ModelProblem
        ? error.message
        : `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    found.broken.push({ folder, name, reason });
  }
}

function foldersIn(root: string, found: Repository, only: readonly string[]): string[] {
  if (!existsSync(root) || !statSync(root).isDirectory()) {
    found.broken.push({ folder: root, name: basename(root), reason: "the folder does not exist" });
    return [];
  }
  if (isWholeModelFolder(root)) return [root];
  const entries = readdirSync(root)
    .sort()
    .map((name) => ({ name, folder: join(root, name) }));
  const folders = entries.flatMap(({ name, folder }) => {
    const at = statSync(folder, { throwIfNoEntry: false });
    if (at === undefined && (only.length === 0 || only.includes(name)))
      found.broken.push({ folder, name, reason: "the link leads to nothing" });
    return at?.isDirectory() === true && isModelFolder(folder) ? [folder] : [];
  });
  return folders.length === 0 && isModelFolder(root) ? [root] : folders;
}
