import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parse } from "yaml";
import { describeBareFolder } from "./bare-folders.js";
import { describeProblems, type Manifest, manifest } from "./manifest.js";

/** A folder whose manifest is audio and whose files are there and whole. */
export interface ModelFolder {
  folder: string;
  manifest: Manifest;
}

/** A folder that cannot be served, and why. */
export interface BrokenFolder {
  folder: string;
  name: string;
  reason: string;
}

/** Thrown inside this room to say why a model cannot be served; the message is for operators. */
export class ModelProblem extends Error {
  override readonly name = "ModelProblem";
}

/**
 * True when a folder claims to be a model: it has `model.yaml`, or graphs, even where something of a known layout is
 * missing.
 */
export function isModelFolder(folder: string): boolean {
  return existsSync(join(folder, "model.yaml")) || describeBareFolder(folder) !== null;
}

/** True when a folder has `model.yaml` or all files of a layout that is known without. */
export function isWholeModelFolder(folder: string): boolean {
  if (existsSync(join(folder, "model.yaml"))) return true;
  const described = describeBareFolder(folder);
  return described !== null && "manifest" in described;
}

/** Reads and checks one model folder. Throws `ModelProblem`. */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const described = existsSync(join(folder, "model.yaml")) ? readManifest(folder) : manifestOfBareFolder(folder);
  for (const [role, file] of Object.entries(described.files)) {
    const path = join(folder, file.path);
    if (!existsSync(path) || !statSync(path).isFile()) throw new ModelProblem(`file ${file.path} (${role}) is missing`);
    if (file.sha256 === undefined) continue;
    const actual = await fileSha256(path);
    if (actual !== file.sha256)
      throw new ModelProblem(`file ${file.path} (${role}) has SHA-256 ${actual}, not ${file.sha256}`);
  }
  return { folder, manifest: described };
}

function readManifest(folder: string): Manifest {
  let value: unknown;
  try {
    value = parse(readFileSync(join(folder, "model.yaml"), "utf8"));
  } catch (error) {
    throw new ModelProblem(
      `model.yaml cannot be read: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`,
      { cause: error },
    );
  }
  const checked = manifest.safeParse(value);
  if (!checked.success) throw new ModelProblem(`model.yaml: ${describeProblems(checked.error)}`);
  return checked.data;
}

function manifestOfBareFolder(folder: string): Manifest {
  const described = describeBareFolder(folder) ?? { problem: "holds no model" };
  if ("problem" in described) throw new ModelProblem(described.problem);
  const checked = manifest.safeParse(described.manifest);
  if (!checked.success) throw new ModelProblem(describeProblems(checked.error));
  return checked.data;
}

async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
