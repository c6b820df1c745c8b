import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { ModelReport } from "#protocol/models/inspection";
import { diskProblem } from "#common/files/disk-error";
import { moveDurably, PRIVATE_FOLDER } from "#common/files/durable-file";
import { CommandError, exitCodes } from "../command.js";
import { unpackArchive } from "./archive/unpack.js";
import { copyFolder } from "./copy-folder.js";
import { download } from "./download.js";
import type { ModelShelf } from "./model-shelf.js";

export interface AddRequest {
  /** A folder, or an http or https URL. */
  source: string;
  /** Name for a model whose folder does not say one; made of the source's when null. */
  name: string | null;
  /** Refer to the folder instead of copying it. */
  link: boolean;
  /** Of what the URL gives, lower-case hex; null for a folder. */
  sha256: string | null;
  /** Of the `.json` beside a single `.onnx`. */
  configSha256: string | null;
}

export type Progress = (what: string, bytes: number, total: number | null) => void;

/** Ends of names that say only how something is packed. */
const packing = /(\.tar)?\.(gz|tgz|tar|zip|onnx)$/i;

/**
 * Brings a model onto the shelf: copied, linked or downloaded aside, loaded and tried in a worker's process, and moved
 * to its place only when it works. Gives its report. Throws CommandError with the reason; nothing is left then but what
 * a broken download had brought.
 */
export async function addModel(shelf: ModelShelf, request: AddRequest, onProgress: Progress): Promise<ModelReport> {
  const staging = await shelf.stage();
  try {
    const folder = /^https?:/i.test(request.source)
      ? await fetchModel(shelf, request, staging, onProgress)
      : await takeFolder(shelf, request, staging, onProgress);
    onProgress("loading it", 0, null);
    const tried = onlyModel(await shelf.inspectFolder(folder, true), request.source);
    const place = join(shelf.folder, tried.name);
    requireFree(shelf, tried.name);
    moveDurably(folder, place);
    return { ...tried, folder: place };
  } catch (error) {
    const problem = diskProblem(error, shelf.folder);
    if (problem === null) throw error;
    throw new CommandError(`${shelf.folder} cannot take the model: ${problem}`, exitCodes.failed, { cause: error });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function takeFolder(
  shelf: ModelShelf,
  request: AddRequest,
  staging: string,
  onProgress: Progress,
): Promise<string> {
  const source = resolve(request.source);
  if (request.sha256 !== null || request.configSha256 !== null) {
    throw new CommandError("--sha256 is for a URL; a folder's model.yaml may name those of its files", exitCodes.usage);
  }
  if (!statSync(source, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandError(`${request.source} is no folder`);
  const { name, folder } = await nameModel(shelf, source, request);
  const staged = join(staging, name);
  if (request.link) symlinkSync(realpathSync(folder), staged);
  else await copyFolder(folder, staged, (bytes, total) => onProgress("copying", bytes, total));
  return staged;
}

async function fetchModel(
  shelf: ModelShelf,
  request: AddRequest,
  staging: string,
  onProgress: Progress,
): Promise<string> {
  const { source, sha256, configSha256 } = request;
  if (request.link) throw new CommandError("--link is for a folder", exitCodes.usage);
  if (sha256 === null)
    throw new CommandError("a URL needs --sha256, the sum of the file that it should give", exitCodes.usage);
  if (!URL.canParse(source)) throw new CommandError(`"${source}" is no URL`, exitCodes.usage);
  const file = basename(new URL(source).pathname);
  const downloads = join(shelf.folder, ".downloads");
  mkdirSync(downloads, { recursive: true, mode: PRIVATE_FOLDER });
  const bring = async (url: string, sum: string): Promise<string> => {
    const path = join(downloads, `${sum}.part`);
    await download({ url, sha256: sum, path, onProgress: (bytes, total) => onProgress("downloading", bytes, total) });
    return path;
  };
  const unpacked = join(staging, "unpacked", usableName(request.name ?? file.replace(packing, "")));
  mkdirSync(unpacked, { recursive: true, mode: PRIVATE_FOLDER });
  if (/\.onnx$/i.test(file)) {
    if (configSha256 === null)
      throw new CommandError(
        "a single .onnx needs --config-sha256, the sum of the .onnx.json beside it",
        exitCodes.usage,
      );
    const config = new URL(source);
    config.pathname = `${config.pathname}.json`;
    renameSync(await bring(config.href, configSha256), join(unpacked, "voice.onnx.json"));
    renameSync(await bring(source, sha256), join(unpacked, "voice.onnx"));
  } else {
    const archive = await bring(source, sha256);
    onProgress("unpacking", 0, null);
    await unpackArchive(archive, unpacked);
    rmSync(archive);
  }
  const { name, folder } = await nameModel(shelf, unpacked, request);
  const staged = join(staging, name);
  renameSync(folder, staged);
  return staged;
}

/** The one model in a folder and the name that it is to have. Throws CommandError. */
async function nameModel(
  shelf: ModelShelf,
  source: string,
  request: AddRequest,
): Promise<{ name: string; folder: string }> {
  const found = await shelf.inspectFolder(source, false);
  const isDescribed = found.length === 1 && existsSync(join(found[0]?.folder ?? "", "model.yaml"));
  // A folder's own name may be no model's name: it gets one that is.
  const only = isDescribed ? onlyModel(found, request.source) : onlyFolder(found, request.source);
  if (isDescribed && request.name !== null && request.name !== only.name) {
    throw new CommandError(`its model.yaml says that its name is ${only.name}; --name is for folders without one`);
  }
  const name = isDescribed ? only.name : (request.name ?? usableName(basename(only.folder)));
  if (usableName(name) !== name)
    throw new CommandError(
      `"${name}" is no model's name: letters, digits, dots, dashes and underscores, at most 64`,
      exitCodes.usage,
    );
  requireFree(shelf, name);
  return { name, folder: only.folder };
}

function onlyFolder(found: readonly ModelReport[], source: string): ModelReport {
  const [model, ...more] = found;
  if (model === undefined)
    throw new CommandError(`${source} holds no model that is known here; docs/models.md lists the layouts`);
  if (more.length > 0)
    throw new CommandError(
      `${source} holds ${found.length} models (${found.map(({ name }) => name).join(", ")}): add them one by one`,
    );
  return model;
}

function onlyModel(found: readonly ModelReport[], source: string): ModelReport {
  const model = onlyFolder(found, source);
  if (model.problem !== null) throw new CommandError(`the model ${model.name} cannot be served: ${model.problem}`);
  return model;
}

function requireFree(shelf: ModelShelf, name: string): void {
  if (existsSync(join(shelf.folder, name)))
    throw new CommandError(`${name} is added already; parley models remove ${name} makes room`);
}

/** The nearest name that a model may have. */
function usableName(name: string): string {
  return (
    name
      .replace(/[^A-Za-z0-9._-]+/g, "-")
      .replace(/^[^A-Za-z0-9]+/, "")
      .slice(0, 64) || "model"
  );
}
