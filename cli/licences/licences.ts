import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

/** Something that an installation contains, with its licence. */
export interface LicensedPart {
  name: string;
  version: string;
  licence: string;
  /** The licence files that it brings. */
  texts: string[];
}

const packageFile = z.looseObject({
  name: z.string(),
  version: z.string().default(""),
  license: z
    .union([z.string(), z.looseObject({ type: z.string() }).transform(({ type }) => type)])
    .default("not stated"),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

const modelFile = z.looseObject({ name: z.string(), version: z.string().default(""), licence: z.string() });

const licenceFile = /^(licen[cs]e|copying|notice)/i;

/** Parley itself, the packages that it runs with, and the models that it brings, by name. */
export function readLicences(root: string): LicensedPart[] {
  const packages = packagesOf(root);
  const [own, ...others] = packages;
  return [...(own === undefined ? [] : [own]), ...others.sort(byName), ...modelsOf(join(root, "models"))];
}

const byName = (a: LicensedPart, b: LicensedPart): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1;

/** The package in `root` and, as Node.js finds them, those that it needs at run time, each once. */
function packagesOf(root: string): LicensedPart[] {
  const seen = new Set<string>();
  const parts: LicensedPart[] = [];
  const ahead = [root];
  for (let folder = ahead.shift(); folder !== undefined; folder = ahead.shift()) {
    if (seen.has(folder)) continue;
    seen.add(folder);
    const read = packageFile.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
    parts.push({ name: read.name, version: read.version, licence: read.license, texts: textsIn(folder) });
    for (const name of Object.keys({ ...read.dependencies, ...read.optionalDependencies })) {
      const found = findPackage(name, folder, root);
      if (found !== null) ahead.push(found);
    }
  }
  return parts;
}

/** Null for an optional one that is not installed. */
function findPackage(name: string, from: string, root: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
    if (folder === root || folder === dirname(folder)) return null;
  }
}

function textsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceFile.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), "utf8"));
}

function modelsOf(folder: string): LicensedPart[] {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => join(folder, entry.name))
    .filter((model) => existsSync(join(model, "model.yaml")))
    .map((model) => {
      const { name, version, licence } = modelFile.parse(parse(readFileSync(join(model, "model.yaml"), "utf8")));
      return { name: `model ${name}`, version, licence, texts: textsIn(model) };
    });
}
