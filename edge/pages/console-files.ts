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

/** One file of the console, as it is sent. */
export interface ConsoleFile {
  mediaType: string;
  /** Of what is in it, in quotes. */
  etag: string;
  plain: Uint8Array;
  /** By the name of the encoding; those that are smaller than the file. */
  encoded: ReadonlyMap<string, Uint8Array>;
}

/** The console: one page, and the files that it loads by the hash of what is in them. */
export interface ConsoleFiles {
  page: ConsoleFile;
  /** By their names below `/console/assets/`. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

/** Where the bundler puts it. */
export const consoleFolder = join(import.meta.dirname, "../../console");

/** Reads the bundled console into memory. Throws `ConfigError` where it was not bundled. */
export function readConsole(folder: string): ConsoleFiles {
  const page = join(folder, "index.html");
  if (!existsSync(page)) throw new ConfigError(`${page} is missing: run npm run build, or set PARLEY_CONSOLE=off`);
  const assets = join(folder, "assets");
  const names = readdirSync(assets).filter((name) => extname(name) in mediaTypes);
  return { page: readOne(page), assets: new Map(names.map((name) => [name, readOne(join(assets, name))])) };
}

function readOne(file: string): ConsoleFile {
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
