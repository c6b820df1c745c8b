import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { newIdentifier } from "#common/identifier";
import { findProgram } from "#launcher/find-program";

/** A program that Go builds from its module. */
interface GoProgram {
  name: string;
  package: string;
  version: string;
}

const helm: GoProgram = { name: "helm", package: "helm.sh/helm/v3/cmd/helm", version: "3.22.0" };
const kubeconform: GoProgram = {
  name: "kubeconform",
  package: "github.com/yannh/kubeconform/cmd/kubeconform",
  version: "0.8.0",
};

/** Nodes that run no container, and say of each pod that it runs. */
const kwok: GoProgram = { name: "kwok", package: "sigs.k8s.io/kwok/cmd/kwok", version: "0.7.0" };

export const chartPrograms = { helm, kubeconform, kwok };

/** Thrown where a program is not there and cannot be built; `message` says what to install. */
export class MissingProgram extends Error {
  override readonly name = "MissingProgram";
}

/** Where what was built or fetched for the tests of the chart lies, for all checkouts of this user. */
export function chartCache(...path: string[]): string {
  const { XDG_CACHE_HOME, HOME } = process.env;
  return join(XDG_CACHE_HOME || join(HOME || homedir(), ".cache"), "parley", ...path);
}

const pathOf = ({ name, version }: GoProgram): string => chartCache(name, version, name);

/** Whether the program is there already. */
export const isBuilt = (program: GoProgram): boolean => existsSync(pathOf(program));

/** Whether this machine could build what is missing. */
export const canBuild = (): boolean => findProgram("go", process.env.PATH) !== null;

/**
 * Gives the program's path; builds it first where it is not there, some minutes. It appears whole or not at all. Throws
 * MissingProgram.
 */
export function findOrBuild(program: GoProgram): string {
  const path = pathOf(program);
  if (existsSync(path)) return path;
  const go = findProgram("go", process.env.PATH);
  if (go === null)
    throw new MissingProgram(`the tests of the chart need ${program.name}, which Go builds: https://go.dev/dl`);
  const folder = chartCache(program.name, program.version);
  const draft = join(folder, `.build-${newIdentifier().slice(0, 12)}`);
  mkdirSync(draft, { recursive: true });
  try {
    const args = ["install", "-trimpath", "-ldflags", "-s -w", `${program.package}@v${program.version}`];
    const built = spawnSync(go, args, { env: { ...process.env, GOBIN: draft }, encoding: "utf8" });
    if (built.status !== 0) throw new MissingProgram(`${program.name} could not be built:\n${built.stderr}`);
    renameSync(join(draft, program.name), path);
    return path;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
