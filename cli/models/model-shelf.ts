import { existsSync, lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { ModelReport } from "#protocol/models/inspection";
import { loadConfig } from "#common/config/config";
import { makePrivateFolder } from "#common/data-directory/data-directory";
import { addedModelsFolder } from "#launcher/added-models";
import { CommandError, type Terminal } from "../command.js";
import { inspectModels } from "./inspect-models.js";

/** Where a model comes from: with Parley, from a folder in `PARLEY_MODELS`, or added here, as a copy or by a link. */
export type ModelOrigin = "embedded" | "configured" | "added" | "linked";

export interface ShelvedModel {
  report: ModelReport;
  origin: ModelOrigin;
}

/** Half-made folders of adds that were killed are thrown away after this long. */
const STALE_MS = 24 * 3_600_000;
const STAGING_PREFIX = ".adding-";

/** The models that workers of this machine would find. */
export interface ModelShelf {
  /** Folder of the added ones; may not be there yet. */
  folder: string;
  providers: string[];
  /**
   * Every model, or those named. With `load` each is loaded and tried in a process of its own. Throws CommandError for
   * unknown names.
   */
  list(only: readonly string[], load: boolean): Promise<ShelvedModel[]>;
  /** Checks, and with `load` tries, what one folder holds. */
  inspectFolder(folder: string, load: boolean): Promise<ModelReport[]>;
  /** Makes an empty folder that no worker looks into, on the same disk as the shelf. */
  stage(): Promise<string>;
}

export function openShelf(terminal: Terminal): ModelShelf {
  const config = loadConfig(terminal.environment);
  const folder = addedModelsFolder(resolve(config.PARLEY_DATA_DIR));
  const providers = [...config.PARLEY_PROVIDERS];
  const roots = [...config.PARLEY_MODELS, ...(existsSync(folder) ? [folder] : [])];
  const originOf = ({ embedded, folder: at }: ModelReport): ModelOrigin => {
    if (embedded) return "embedded";
    if (dirname(at) !== folder) return "configured";
    return lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true ? "linked" : "added";
  };
  const inspect = async (
    from: { roots: string[]; embedded: boolean; only: string[] },
    load: boolean,
  ): Promise<ModelReport[]> => {
    const { reports, crash } = await inspectModels(terminal, { ...from, load, providers });
    if (crash === null) return reports;
    if (!load) throw new CommandError(crash);
    // Who was not reported is who was being tried.
    const silent = (await inspect(from, false)).filter(
      ({ folder: at }) => !reports.some((report) => report.folder === at),
    );
    return [...reports, ...silent.map((report) => ({ ...report, problem: report.problem ?? crash }))];
  };
  return {
    folder,
    providers,
    async list(only, load) {
      const described = await inspect({ roots, embedded: true, only: [...only] }, false);
      const unknown = described.filter((report) => report.folder === "");
      if (unknown.length > 0) throw new CommandError(`there is no model ${unknown.map(({ name }) => name).join(", ")}`);
      const reports: ModelReport[] = [];
      for (const report of described) {
        if (load && report.problem === null)
          reports.push(...(await inspect({ roots: [report.folder], embedded: false, only: [] }, true)));
        else reports.push(report);
      }
      return reports.map((report, i) => ({ report, origin: originOf(described[i] ?? report) }));
    },
    inspectFolder: async (at, load) => await inspect({ roots: [at], embedded: false, only: [] }, load),
    async stage() {
      makePrivateFolder(folder);
      removeStale(folder);
      return await mkdtemp(join(folder, STAGING_PREFIX));
    },
  };
}

function removeStale(folder: string): void {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(STAGING_PREFIX))) {
    const path = join(folder, name);
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > STALE_MS)
      rmSync(path, { recursive: true, force: true });
  }
}

/** Removes an added model: its copy, or the link to it. Throws CommandError for all others. */
export async function removeModel(shelf: ModelShelf, name: string): Promise<void> {
  const known = await shelf.list([], false);
  const found = known.filter(
    ({ report, origin }) => report.name === name && (origin === "added" || origin === "linked"),
  );
  const [own] = found;
  if (own === undefined) {
    const other = known.find(({ report }) => report.name === name);
    if (other === undefined) throw new CommandError(`there is no model ${name}`);
    throw new CommandError(
      `${name} was not added: it ${other.origin === "embedded" ? "comes with Parley" : `lies in ${other.report.folder}`}`,
    );
  }
  // Of a link only the link goes; `basename` of a path that the inspection found below the shelf.
  rmSync(join(shelf.folder, basename(own.report.folder)), { recursive: own.origin === "added" });
}
