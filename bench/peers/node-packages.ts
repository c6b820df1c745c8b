import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A folder outside the repository, with packages that only a benchmark needs. */
export interface NodePackages {
  folder: string;
  /** Versions by package. */
  versions: Record<string, string>;
}

export interface WantedPackages {
  /** Names the folder. Not `PARLEY_…`: those are settings of the product, which refuses the ones that it does not know. */
  variable: string;
  /** What the packages are together, for the message. */
  name: string;
  /** A `package.json` with exact versions. */
  manifestPath: string;
  howTo: string;
}

/** Finds the packages, or says in one line what is missing and how to install it. */
export function findNodePackages({
  variable,
  name,
  manifestPath,
  howTo,
}: WantedPackages): NodePackages | { missing: string } {
  const folder = process.env[variable];
  if (folder === undefined || folder === "") return { missing: `${name} is not installed: ${howTo}` };
  const wanted = dependenciesIn(readFileSync(manifestPath, "utf8"));
  const versions = Object.fromEntries(
    Object.keys(wanted).flatMap((name) => {
      const version = installedVersion(folder, name);
      return version === null ? [] : [[name, version]];
    }),
  );
  const wrong = Object.entries(wanted).filter(([name, version]) => versions[name] !== version);
  if (wrong.length === 0) return { folder, versions };
  const list = wrong.map(([name, version]) => `${name} ${version} (there is ${versions[name] ?? "none"})`).join(", ");
  return { missing: `${variable} lacks ${list}: ${howTo}` };
}

function dependenciesIn(manifest: string): Record<string, string> {
  return (JSON.parse(manifest) as { dependencies: Record<string, string> }).dependencies;
}

function installedVersion(folder: string, name: string): string | null {
  const path = join(folder, "node_modules", name, "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : null;
}
