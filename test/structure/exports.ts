import { dirname, join } from "node:path";
import { type Source, sourceOf } from "./sources.js";

/** A value that a file exports. */
export interface Export {
  path: string;
  name: string;
}

/** What a file takes from another of ours: names, or everything (`*`). */
interface Import {
  file: string;
  names: string[];
}

/** The values (functions, classes, constants) that a file exports; types are left out. */
export function exportsOf({ path, text }: Source): Export[] {
  const declared = [
    ...text.matchAll(/^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|enum) (\w+)/gm),
  ].map((match) => match[1] ?? "");
  const listed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap((match) =>
    namesIn(match[1] ?? "").map((name) => name.exported),
  );
  return [...declared, ...listed].map((name) => ({ path, name }));
}

/** What a file imports from other files of ours, types included. */
export function importsOf({ path, text }: Source): Import[] {
  const clauses = [
    ...text.matchAll(/^(?:import|export)(?: type)?\s+(\{[^}]*\}|\*(?: as \w+)?|\w+)\s+from\s+"([^"]+)"/gm),
  ];
  const called = [...text.matchAll(/\bimport\("([^"]+)"\)/g)];
  return [
    ...clauses.map(([, clause = "", specifier = ""]) => ({
      file: fileOf(path, specifier),
      names: clause.startsWith("{") ? namesIn(clause.slice(1, -1)).map((name) => name.own) : ["*"],
    })),
    ...called.map(([, specifier = ""]) => ({ file: fileOf(path, specifier), names: ["*"] })),
  ];
}

function fileOf(path: string, specifier: string): string {
  if (specifier.startsWith("#")) return `${specifier.slice(1)}.ts`;
  return sourceOf(join(dirname(path), specifier).replace(/^dist\//, ""));
}

/** `a, type b, c as d`: the names in the file itself, and as they are exported. */
function namesIn(list: string): { own: string; exported: string }[] {
  return list
    .split(",")
    .map((item) => item.trim().replace(/^type /, ""))
    .filter((item) => item !== "")
    .map((item) => {
      const [own = "", exported = own] = item.split(/\s+as\s+/);
      return { own, exported };
    });
}

/** The exports of some files that none of the importers takes. */
export function unusedExports(files: readonly Source[], importers: readonly Source[]): Export[] {
  const taken = new Map<string, Set<string>>();
  for (const { file, names } of importers.flatMap(importsOf)) {
    const known = taken.get(file) ?? new Set();
    for (const name of names) known.add(name);
    taken.set(file, known);
  }
  return files.flatMap(exportsOf).filter(({ path, name }) => {
    const names = taken.get(path);
    return names?.has(name) !== true && names?.has("*") !== true;
  });
}

/** True when a file uses a name that it declares itself. */
export function isUsedInside({ text }: Source, name: string): boolean {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  return [...code.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length > 1;
}
