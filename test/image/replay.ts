import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { root } from "../structure/sources.js";
import type { Stage } from "./dockerfile.js";

/** What is done by the engine or by the system of an image, and has no place in a folder. */
const ofTheSystem = /^useradd /;

/**
 * Replays a stage's COPY and RUN in `directory`, which stands for the root of its file system: `/app` is
 * `<directory>/app`. Other instructions say how containers run and make no files. `stages` are those replayed before.
 */
export function replay(stage: Stage, directory: string, stages: ReadonlyMap<string, string>): void {
  const ignored = readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  let workdir = "/";
  for (const { name, text } of stage.instructions) {
    const here = join(directory, workdir);
    if (name === "WORKDIR") {
      workdir = text;
      mkdirSync(join(directory, workdir), { recursive: true });
    }
    if (name === "COPY") copy(text.split(/ +/), here, stages, ignored);
    if (name === "RUN" && !ofTheSystem.test(text)) run(text, here);
  }
}

function copy(
  words: readonly string[],
  to: string,
  stages: ReadonlyMap<string, string>,
  ignored: readonly string[],
): void {
  const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
  const paths = words.filter((word) => !word.startsWith("--"));
  const target = paths.at(-1) ?? "";
  const base = from === undefined ? root : stages.get(from);
  if (base === undefined) throw new Error(`COPY --from=${from}: this stage was not replayed`);
  for (const source of paths.slice(0, -1)) {
    const path = join(base, source);
    const end = target.endsWith("/") ? join(to, target, basename(source)) : join(to, target);
    mkdirSync(dirname(end), { recursive: true });
    const isIgnored = (file: string): boolean =>
      from === undefined && ignored.some((pattern) => matches(pattern, relative(root, file)));
    cpSync(path, end, { recursive: true, filter: (file) => !isIgnored(file) });
  }
}

/** As `.dockerignore` has it: a path and all that lies below it, or `*` and the end of a name at the top. */
const matches = (pattern: string, path: string): boolean =>
  pattern.startsWith("*")
    ? !path.includes("/") && path.endsWith(pattern.slice(1))
    : path === pattern || path.startsWith(`${pattern}/`);

function run(command: string, cwd: string): void {
  process.stderr.write(`  RUN ${command.replace(/ +/g, " ").slice(0, 110)}…\n`);
  const { PATH, HOME } = process.env;
  const { status } = spawnSync("bash", ["-euo", "pipefail", "-c", command], {
    cwd,
    env: { PATH, HOME },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`RUN failed with ${status}: ${command}`);
  if (!existsSync(cwd)) throw new Error("RUN removed its own folder");
}
