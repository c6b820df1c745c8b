import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const root = join(import.meta.dirname, "../../..");
const urlOf = (compiled: string): string => JSON.stringify(pathToFileURL(join(root, "dist", compiled)).href);
const rooms = {
  edge: "edge",
  scheduler: "scheduler",
  workers: "worker",
  "control-plane": "control-plane",
  agents: "agent",
};

/** A project of the roles, which share one room; each life notes its role and what it was compiled from. */
function makeProject(project: string) {
  const write = (file: string, content: string): void => {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    // As editors do: a new file in the place of the old one.
    writeFileSync(join(project, `${file}~`), content);
    renameSync(join(project, `${file}~`), join(project, file));
  };
  const starts = join(project, "starts");
  const room = (name: string, references: { path: string }[]): void => {
    const compilerOptions = {
      rootDir: ".",
      outDir: `../dist/${name}`,
      tsBuildInfoFile: `../dist/${name}/.tsbuildinfo`,
    };
    write(`${name}/tsconfig.json`, JSON.stringify({ extends: "../tsconfig.base.json", compilerOptions, references }));
  };
  const main = (folder: keyof typeof rooms, version: string): void =>
    write(
      `${folder}/main.ts`,
      `import { appendFileSync } from "node:fs";
      import { version } from "../common/version.js";
      const { runRole } = await import(String(${urlOf("common/lifecycle/role.js")}));
      appendFileSync(${JSON.stringify(starts)}, "${folder} ${version} " + version + "\\n");
      runRole("${rooms[folder]}", async () => ({ drain: async () => {}, stop: async () => {}, facts: {} }));`,
    );
  cpSync(join(root, "tsconfig.base.json"), join(project, "tsconfig.base.json"));
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  write("package.json", '{"type":"module"}');
  write(
    "tsconfig.json",
    JSON.stringify({ files: [], references: [...Object.keys(rooms), "web"].map((path) => ({ path })) }),
  );
  room("common", []);
  write("common/version.ts", 'export const version: string = "a";');
  for (const folder of Object.keys(rooms) as (keyof typeof rooms)[]) {
    room(folder, [{ path: "../common" }]);
    main(folder, "1");
  }
  // Pages that are bundled as ours are.
  room("web", []);
  write("package-lock.json", "{}");
  for (const script of ["setup.mjs", "bundle-console.mjs"])
    cpSync(join(root, "launcher", script), join(project, "launcher", script));
  write("web/index.html", '<!doctype html><script type="module" src="/main.ts"></script>');
  const bundle = (output: string, more: string): string =>
    `export default { root: import.meta.dirname, logLevel: "warn", build: { outDir: ${JSON.stringify(join(project, "dist", output))}, emptyOutDir: true, ${more} } };`;
  write("web/vite.config.mjs", bundle("console", ""));
  for (const [name, file] of [
    ["widget", "widget.js"],
    ["reference", "assets/reference.js"],
  ] as const) {
    const lib = `lib: { entry: "main.ts", formats: ["iife"], name: "w", fileName: () => "${file}" }`;
    write(`web/${name}/vite.config.mjs`, bundle(name, lib));
    write(`web/${name}/main.ts`, `console.log("${name}");`);
  }
  write("web/main.ts", 'console.log("first page");');
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b"], { cwd: project });
  execFileSync(process.execPath, [join(project, "launcher/bundle-console.mjs")], { cwd: project });
  const page = (): string => {
    const assets = join(project, "dist/console/assets");
    return readdirSync(assets)
      .map((file) => readFileSync(join(assets, file), "utf8"))
      .join();
  };
  return { write, main, page, starts: () => readFileSync(starts, "utf8").trim().split("\n").sort() };
}

it("restarts the roles whose output changed, and none while a source does not compile", async () => {
  const directory = temporaryDirectory("project");
  const project = makeProject(directory.path);
  const script = `
    const { runCommandLine } = await import(${urlOf("cli/main.js")});
    const { stdin, stdout, stderr, env } = process;
    process.exitCode = await runCommandLine(["up", "--watch"], { environment: env, stdin, stdout, stderr, distDirectory: ${JSON.stringify(join(directory.path, "dist"))} });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      PARLEY_LIVEKIT: "off",
      PARLEY_AGENTS: "0",
      PARLEY_DATA_DIR: join(directory.path, "data"),
      PARLEY_DRAIN_MS: "1000",
      PARLEY_WORKERS: "1",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (data: Buffer) => {
    said += data.toString();
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    directory.remove();
  });
  const untilSaid = (what: string): Promise<void> => until(() => said.includes(what), { withinMs: 30_000, what });

  await untilSaid("Watching the sources");
  const first = ["control-plane 1 a", "edge 1 a", "scheduler 1 a", "workers 1 a"];
  expect(project.starts()).toEqual(first);

  project.main("scheduler", "2");
  await untilSaid("scheduler-1 is ready");
  expect(said).toContain("Compiled; restarting scheduler\n");
  expect(project.starts()).toEqual([...first, "scheduler 2 a"].sort());

  // The scheduler would compile, and waits for the edge.
  project.write("edge/part.ts", "export const part: number = 'none';");
  await untilSaid("what runs goes on as it was");
  expect(said).toContain("edge/part.ts");
  said = "";
  project.main("scheduler", "3");
  await untilSaid("what runs goes on as it was");
  expect(said).not.toContain("restarting");
  expect(project.starts()).toHaveLength(5);

  // A test is no part of what runs.
  project.write("workers/part.test.ts", "export const part = 1;");
  project.write("edge/part.ts", "export const part: number = 1;");
  await untilSaid("Compiled; restarting edge, scheduler\n");
  await untilSaid("edge is ready");
  await untilSaid("scheduler-1 is ready");

  // What browsers are sent is another thing that the edge reads at its start.
  said = "";
  project.write("web/main.ts", 'console.log("second page");');
  await untilSaid("Compiled; restarting edge\n");
  await untilSaid("edge is ready");
  expect(project.page()).toContain("second page");
  said = "";
  project.write("web/main.ts", "console.log(nothing);");
  await untilSaid("what runs goes on as it was");
  project.write("web/main.ts", 'console.log("second page");');

  said = "";
  project.write("common/version.ts", 'export const version: string = "b";');
  for (const name of ["edge", "scheduler-1", "worker-1", "control-plane"]) await untilSaid(`${name} is ready`);
  expect(project.starts()).toEqual(
    [
      ...first,
      "control-plane 1 b",
      "edge 1 a",
      "edge 1 a",
      "edge 1 b",
      "scheduler 2 a",
      "scheduler 3 a",
      "scheduler 3 b",
      "workers 1 b",
    ].sort(),
  );
  expect(said).not.toContain("ended");
}, 120_000);
