import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, type FSWatcher, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import type { Role } from "#protocol/bus/membership";
import { LaunchError } from "./launch-error.js";
import { roleFolders } from "./role-process.js";

/** Editors write a file in several steps, and a checkout writes many files. */
const QUIET_MS = 100;

/** What browsers run is bundled from this room, into these folders of `dist`; the edge serves it as it was at its start. */
const pages = { room: "web", bundles: ["console", "widget", "reference"] };

const roles = Object.keys(roleFolders) as Role[];

export interface SourceWatchOptions {
  /** Holds tsconfig.json, the rooms, and their output in `dist`. */
  projectDirectory: string;
  /** Takes what the compiler says; nothing is restarted then. */
  onCompileError: (messages: string) => void;
  /** Takes the roles whose compiled output is another than before; the next compilation waits for it. */
  onChange: (roles: readonly Role[]) => Promise<void>;
}

/** Throws LaunchError where there are no sources, as in an image. */
export function requireSources(projectDirectory: string): void {
  if (!existsSync(join(projectDirectory, "tsconfig.json")))
    throw new LaunchError(`${projectDirectory} holds no sources to watch`);
}

/** Compiles the roles' rooms whenever a source of them changes, until `close`. */
export function watchSources(options: SourceWatchOptions): { close(): void } {
  const { projectDirectory } = options;
  const roomsOf = new Map(roles.map((role) => [role, roomsBelow(projectDirectory, roleFolders[role])]));
  const rooms = [...new Set([...roomsOf.values()].flatMap((below) => [...below]))];
  const hasPages = existsSync(join(projectDirectory, pages.room, "tsconfig.json"));
  const watched = hasPages ? [...rooms, pages.room] : rooms;
  const folders = new Map<string, FSWatcher>();
  let output = outputOf(projectDirectory, rooms);
  let quiet: NodeJS.Timeout | undefined;
  let compiling = false;
  let changedMeanwhile = false;
  let closed = false;

  /** Folders are watched one by one, which misses no file, however an editor replaces it. */
  function watchNewFolders(): void {
    const present = new Set(watched.flatMap((room) => foldersUnder(join(projectDirectory, room))));
    for (const [folder, watcher] of folders) if (!present.has(folder)) watcher.close();
    for (const folder of [...folders.keys()].filter((known) => !present.has(known))) folders.delete(folder);
    for (const folder of [...present].filter((found) => !folders.has(found)))
      folders.set(folder, watch(folder, noteChange).on("error", noteChange));
  }

  function noteChange(): void {
    changedMeanwhile = compiling;
    clearTimeout(quiet);
    if (!compiling && !closed) quiet = setTimeout(() => void compile(), QUIET_MS);
  }

  async function compile(): Promise<void> {
    compiling = true;
    try {
      watchNewFolders();
      const messages = await build(projectDirectory, hasPages);
      if (messages !== null) options.onCompileError(messages);
      else await reportChange();
    } catch (error) {
      // A folder that went while it was read, as in a checkout: what follows it is another change.
      options.onCompileError(error instanceof Error ? error.message : String(error));
    }
    compiling = false;
    if (changedMeanwhile) noteChange();
  }

  async function reportChange(): Promise<void> {
    const before = output;
    output = outputOf(projectDirectory, rooms);
    const isChanged = (folder: string): boolean => output.get(folder) !== before.get(folder);
    const folderOf = (role: Role): string[] => [
      ...(roomsOf.get(role) ?? []),
      ...(role === "edge" ? pages.bundles : []),
    ];
    const changed = roles.filter((role) => folderOf(role).some(isChanged));
    if (changed.length > 0 && !closed) await options.onChange(changed);
  }

  watchNewFolders();
  // For what changed while the cluster started.
  noteChange();
  return {
    close() {
      closed = true;
      clearTimeout(quiet);
      for (const watcher of folders.values()) watcher.close();
    },
  };
}

/** A room and those that it is compiled against. */
function roomsBelow(projectDirectory: string, room: string, found = new Set<string>()): Set<string> {
  if (found.has(room)) return found;
  found.add(room);
  const { references = [] } = JSON.parse(readFileSync(join(projectDirectory, room, "tsconfig.json"), "utf8")) as {
    references?: { path: string }[];
  };
  for (const { path } of references) roomsBelow(projectDirectory, join(room, path), found);
  return found;
}

function foldersUnder(folder: string): string[] {
  const inside = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inside.map((entry) => join(entry.parentPath, entry.name))];
}

/** A hash over what runs of each room, its compiled files without their tests, and over what browsers are sent. */
function outputOf(projectDirectory: string, rooms: readonly string[]): Map<string, string> {
  const hashOf = (name: string, runs: RegExp): string => {
    const folder = join(projectDirectory, "dist", name);
    const hash = createHash("sha256");
    const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
    for (const file of files.filter((found) => runs.test(found) && !found.endsWith(".test.js")).sort())
      hash.update(file).update(readFileSync(join(folder, file)));
    return hash.digest("hex");
  };
  return new Map([
    ...rooms.map((room): [string, string] => [room, hashOf(room, /\.js$/)]),
    ...pages.bundles.map((bundle): [string, string] => [bundle, hashOf(bundle, /\.(?:js|css|html|svg)$/)]),
  ]);
}

/**
 * Compiles the roles, and bundles the pages where something of them changed; gives the messages where something is
 * wrong, null where nothing is.
 */
async function build(projectDirectory: string, hasPages: boolean): Promise<string | null> {
  const compiler = join("node_modules", "typescript", "bin", "tsc");
  const rooms = [...Object.values(roleFolders), ...(hasPages ? [pages.room] : [])];
  const messages = await runScript(projectDirectory, [compiler, "-b", ...rooms]);
  if (messages !== null || !hasPages) return messages;
  return await runScript(projectDirectory, [join("launcher", "bundle-console.mjs")]);
}

/** What a script says when it fails; null when it does not. */
function runScript(projectDirectory: string, [script = "", ...more]: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(projectDirectory, script), ...more],
      { cwd: projectDirectory },
      (error, stdout, stderr) => resolve(error === null ? null : `${stdout}${stderr}`.trim() || error.message),
    );
  });
}
