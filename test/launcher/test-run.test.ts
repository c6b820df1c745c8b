import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const root = join(import.meta.dirname, "../../..");

let project: string;
const write = (file: string, content: string): void => {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  writeFileSync(join(project, file), content);
};

beforeEach(() => {
  const directory = temporaryDirectory("project");
  onTestFinished(directory.remove);
  project = directory.path;
  for (const file of ["vitest.config.mjs", "tsconfig.base.json", "launcher/setup.mjs", "launcher/test.mjs"])
    cpSync(join(root, file), join(project, file));
  write("package.json", '{"type":"module"}');
  write("package-lock.json", "{}");
});

/** A program of the fake system that notes how it was called. */
function program(name: string, body: string): void {
  write(`programs/${name}`, `#!/bin/sh\n${body}\n`);
  chmodSync(join(project, "programs", name), 0o755);
}

describe("one test, named by its source", { timeout: 120_000 }, () => {
  /** Runs Vitest on a part of the project; gives the result of each test file that ran, by its path. */
  const run = (part: string): Record<string, string> => {
    const report = join(project, "report.json");
    rmSync(report, { force: true });
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const args = ["run", "--project", "unit", "--reporter=json", `--outputFile=${report}`, part];
    spawnSync(process.execPath, [vitest, ...args], { cwd: project, env: { PATH: process.env.PATH } });
    if (!existsSync(report)) return {};
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      testResults: { name: string; status: string }[];
    };
    return Object.fromEntries(testResults.map(({ name, status }) => [name.slice(project.length + 1), status]));
  };
  const testOf = (name: string): string =>
    `import { expect, it } from "vitest";\nimport { two } from "./two.js";\nit("${name}", () => expect(two).toBe(2));\n`;

  beforeEach(() => {
    symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
    const rooms = ["common", "audio"];
    write("tsconfig.json", JSON.stringify({ files: [], references: rooms.map((path) => ({ path })) }));
    for (const room of rooms) {
      const options = { rootDir: ".", outDir: `../dist/${room}`, tsBuildInfoFile: `../dist/${room}/.tsbuildinfo` };
      write(`${room}/tsconfig.json`, JSON.stringify({ extends: "../tsconfig.base.json", compilerOptions: options }));
    }
    // What sets up the project's own unit tests.
    write("common/testing/property-runs.ts", "export {};\n");
    write("audio/two.ts", "export const two: number = 2;\n");
    write("audio/kept.test.ts", testOf("kept"));
    write("audio/deleted.test.ts", testOf("deleted"));
  });

  it("runs alone, as its source is now, and not at all once its source is gone", () => {
    expect(run("audio/kept.test.ts")).toEqual({ "audio/kept.test.ts": "passed" });
    write("audio/two.ts", "export const two: number = 3;\n");
    expect(run("audio/kept.test.ts")).toEqual({ "audio/kept.test.ts": "failed" });

    const stale = join(project, "dist/audio/deleted.test.js");
    const compiled = readFileSync(stale, "utf8");
    rmSync(join(project, "audio/deleted.test.ts"));
    expect(run("")).toEqual({ "audio/kept.test.ts": "failed" });
    expect(existsSync(stale)).toBe(false);
    // Not even where something else left its output.
    writeFileSync(stale, compiled);
    expect(run("deleted")).toEqual({});
    expect(run("dist/audio")).toEqual({});
  });

  it("does not run on the output of an earlier build when its source does not compile", () => {
    run("audio/kept.test.ts");
    write("audio/two.ts", 'export const two: number = "2";\n');
    expect(run("audio/kept.test.ts")).toEqual({});
  });
});

describe("npm test on a system that lacks packages", () => {
  beforeEach(() => {
    write("tsconfig.json", "{}");
    program("apt-get", `echo "apt-get $*" >> ${project}/installed; exit 1`);
    program("sudo", '[ "$2" = true ] && exit 0; shift; exec "$@"');
    symlinkSync("/usr/bin/env", join(project, "programs/env"));
  });

  /** Runs it, at a terminal where `answer` is typed when one is given; gives what was shown and what was installed. */
  const npmTest = (options: { answer?: string; flag?: string; ci?: string }) => {
    const command = `${process.execPath} ${join(project, "launcher/test.mjs")} ${options.flag ?? ""}`;
    const [file, args] =
      options.answer === undefined
        ? ["/bin/sh", ["-c", command]]
        : ["/usr/bin/script", ["-qec", command, join(project, "typescript")]];
    const environment = { PATH: join(project, "programs"), SHELL: "/bin/sh", NATS_URL: "nats://elsewhere:4222" };
    const { stdout, stderr } = spawnSync(file, args, {
      input: options.answer ?? "",
      env: { ...environment, REDIS_URL: "redis://elsewhere:6379", ...(options.ci ? { CI: options.ci } : {}) },
      encoding: "utf8",
    });
    const installed = join(project, "installed");
    return {
      shown: `${stderr}${stdout}`.replaceAll("\r", "").trimEnd(),
      installed: existsSync(installed) ? readFileSync(installed, "utf8") : "",
    };
  };
  const wouldInstall = /apt-get update && .*apt-get install -y --no-install-recommends .*ffmpeg/;

  it("says what it would run, and installs nothing after a no", () => {
    const { shown, installed } = npmTest({ answer: "n\n" });
    expect(shown).toMatch(wouldInstall);
    expect(shown).toContain("run it now? [y/N]");
    expect(shown).toContain("nothing was installed, and nothing was tested");
    expect(shown.split("\n").at(-1)).toBe("0 passed, 1 failed");
    expect(installed).toBe("");
  });

  it("installs after a yes", () => {
    expect(npmTest({ answer: "y\n" }).installed).toMatch(/update\n.*install -y --no-install-recommends .*ffmpeg/);
  });

  it.each([
    { answer: "", flag: "--yes" },
    { answer: "", ci: "true" },
    { flag: "" },
  ])("goes on by itself, saying what it runs: %j", (options) => {
    const { shown, installed } = npmTest(options);
    expect(shown).toMatch(wouldInstall);
    expect(shown).not.toContain("[y/N]");
    expect(installed).toMatch(/install -y .*ffmpeg/);
  });
});
