import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { ConfigError } from "#common/config/config";
import { sha256Hex } from "#common/identifier";

/** Encodings that the bundler made, by the ending of their files; the smaller one first. */
const encodings = [
  ["br", "br"],
  ["gzip", "gz"],
] as const;

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** One bundled file, as it is sent. */
export interface BundledFile {
  mediaType: string;
  /** Of what is in it, in quotes. */
  etag: string;
  plain: Uint8Array;
  /** By the name of the encoding; those that are smaller than the file. */
  encoded: ReadonlyMap<string, Uint8Array>;
}

/** One file that is asked for by its name, and those that it loads by the hash of what is in them. */
export interface Bundle {
  main: BundledFile;
  /** By their names. */
  assets: ReadonlyMap<string, BundledFile>;
}

/** Where the bundler puts the console, the widget and the reference. */
export const bundlesFolder = join(import.meta.dirname, "../..");

/** Reads the bundled console into memory. Throws `ConfigError` where it was not bundled. */
export const readConsole = (folder: string): Bundle => readBundle(folder, { main: "index.html", assets: "assets" });

/** Reads the bundled widget into memory. Throws `ConfigError` where it was not bundled. */
export const readWidget = (folder: string): Bundle => readBundle(folder, { main: "widget.js", assets: "widget" });

/** The files of the reference at `/docs`, which the page of the edge names. */
export interface ReferenceBundle {
  script: string;
  style: string;
  assets: ReadonlyMap<string, BundledFile>;
}

/** Reads the bundled reference into memory. Throws `ConfigError` where it was not bundled. */
export function readReference(folder: string): ReferenceBundle {
  const below = join(folder, "assets");
  const names = existsSync(below) ? readdirSync(below) : [];
  const nameOf = (ending: string): string => {
    const name = names.find((candidate) => candidate.endsWith(ending));
    if (name === undefined) throw new ConfigError(`${below} has no ${ending} file: run npm run build`);
    return name;
  };
  return { script: nameOf(".js"), style: nameOf(".css"), assets: readAssets(below) };
}

function readBundle(folder: string, names: { main: string; assets: string }): Bundle {
  const main = join(folder, names.main);
  if (!existsSync(main)) throw new ConfigError(`${main} is missing: run npm run build`);
  return { main: readOne(main), assets: readAssets(join(folder, names.assets)) };
}

function readAssets(folder: string): Bundle["assets"] {
  const files = readdirSync(folder).filter((name) => extname(name) in mediaTypes);
  return new Map(files.map((name) => [name, readOne(join(folder, name))]));
}

function readOne(file: string): BundledFile {
  const plain = readFileSync(file);
  const encoded = encodings.flatMap(([name, ending]): [string, Uint8Array][] =>
    existsSync(`${file}.${ending}`) ? [[name, readFileSync(`${file}.${ending}`)]] : [],
  );
  return {
    mediaType: mediaTypes[extname(file)] ?? "application/octet-stream",
    etag: `"${sha256Hex(plain).slice(0, 32)}"`,
    plain,
    encoded: new Map(encoded),
  };
}
