import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The project folder. */
export const root = join(import.meta.dirname, "../../..");

export const rooms = [
  "protocol",
  "common",
  "audio",
  "submission",
  "speech",
  "transcription",
  "edge",
  "scheduler",
  "workers",
  "tools",
  "control-plane",
  "agents",
  "launcher",
  "cli",
  "web",
  "test",
  "bench",
] as const;
export type Room = (typeof rooms)[number];

/** One TypeScript source file. */
export interface Source {
  /** From the project folder, with `/`. */
  path: string;
  room: Room;
  text: string;
  lines: number;
  /** What it imports, types included: paths of our own files, and names of packages. */
  imports: { files: string[]; packages: string[] };
}

/** Every TypeScript source of every room. */
export function readSources(): Source[] {
  return rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => readSource(room, join(entry.parentPath, entry.name))),
  );
}

function readSource(room: Room, file: string): Source {
  const text = readFileSync(file, "utf8");
  const path = relative(root, file);
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gms),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
  const files: string[] = [];
  const packages: string[] = [];
  for (const specifier of specifiers) {
    // What stands behind a question mark is for the bundler.
    if (specifier.startsWith(".")) files.push(sourceOf(join(dirname(path), specifier.split("?")[0] ?? "")));
    else if (specifier.startsWith("#")) files.push(`${specifier.slice(1)}.ts`);
    else
      packages.push(
        specifier.startsWith("node:")
          ? specifier
          : specifier
              .split("/")
              .slice(0, specifier.startsWith("@") ? 2 : 1)
              .join("/"),
      );
  }
  return { path, room, text, lines: text.split("\n").length - 1, imports: { files, packages } };
}

/** The source of a compiled file that an import names: in the console it may hold markup. */
export function sourceOf(compiled: string): string {
  const source = compiled.replace(/\.js$/, ".ts");
  return source.startsWith("web/") && existsSync(join(root, `${source}x`)) ? `${source}x` : source;
}

/** True for tests and what only tests use. */
export function isTest(source: Source): boolean {
  return source.room === "test" || source.room === "bench" || /\.test\.ts$|\/testing\//.test(source.path);
}
