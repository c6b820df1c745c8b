import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const root = join(import.meta.dirname, "../../..");

/**
 * A project folder with the real first steps and, in place of npm, the compiler and apt-get, programs that only note
 * that they ran.
 */
interface Project {
  path: string;
  write: (file: string, content: string) => void;
  /** Runs `node bin/parley <args>`; gives what it said and which programs ran. */
  parley: (...args: string[]) => Outcome;
  /** Runs `node launcher/prepare.mjs`, the first step of commands that start clusters of their own. */
  prepare: () => Outcome;
}

interface Outcome {
  code: number | null;
  said: string;
  printed: string;
  ran: string[];
}

const commandLine =
  'export const main = async (args) => { console.log("running " + args.join(" ")); return args.includes("fail") ? 7 : 0; };';

function makeProject(): Project {
  const directory = temporaryDirectory("project");
  onTestFinished(directory.remove);
  const path = directory.path;
  const write = (file: string, content: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
  };
  const program = (name: string, body: string): void => {
    write(`programs/${name}`, `#!/bin/sh\necho "${name} $*" >> ${path}/ran\n${body}\n`);
    chmodSync(join(path, "programs", name), 0o755);
  };
  cpSync(join(root, "bin"), join(path, "bin"), { recursive: true });
  for (const file of ["bootstrap.mjs", "prepare.mjs", "setup.mjs", "test.mjs"])
    cpSync(join(root, "launcher", file), join(path, "launcher", file));
  write("package.json", '{"type":"module"}');
  write("package-lock.json", "{}");
  write("tsconfig.json", '{"references":[{"path":"protocol"},{"path":"cli"}]}');
  write("tsconfig.base.json", "{}");
  write("protocol/a.ts", "export const a = 1;");
  const tsc = `
    import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
    appendFileSync(${JSON.stringify(join(path, "ran"))}, "tsc\\n");
    mkdirSync(${JSON.stringify(join(path, "dist/cli"))}, { recursive: true });
    writeFileSync(${JSON.stringify(join(path, "dist/cli/main.js"))}, ${JSON.stringify(commandLine)});
    process.exitCode = existsSync(${JSON.stringify(join(path, "protocol/broken.ts"))}) ? 1 : 0;`;
  write("tsc.mjs", tsc);
  program(
    "npm",
    `test -e ${path}/offline && exit 1
     test "$ONNXRUNTIME_NODE_INSTALL" = skip || exit 9
     mkdir -p ${path}/node_modules/typescript/bin && cp ${path}/tsc.mjs ${path}/node_modules/typescript/bin/tsc
     echo '{"type":"module"}' > ${path}/node_modules/typescript/package.json
     echo '{}' > ${path}/node_modules/.package-lock.json`,
  );
  write("cli/main.ts", "");
  const run = (file: string, args: string[]): Outcome => {
    rmSync(join(path, "ran"), { force: true });
    const environment = {
      PATH: `${path}/programs:/bin:/usr/bin`,
      NATS_URL: "nats://elsewhere:4222",
      REDIS_URL: "redis://elsewhere:6379",
    };
    const result = spawnSync(process.execPath, [join(path, file), ...args], {
      env: environment,
      encoding: "utf8",
      cwd: "/",
    });
    let ran: string[] = [];
    try {
      ran = readFileSync(join(path, "ran"), "utf8").trim().split("\n");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    return { code: result.status, said: result.stderr, printed: result.stdout, ran };
  };
  return {
    ...{ path, write },
    parley: (...args) => run("bin/parley", args),
    prepare: () => run("launcher/prepare.mjs", []),
  };
}

describe("the first steps of bin/parley", () => {
  let project: Project;
  beforeEach(() => {
    project = makeProject();
  });

  it("installs, builds and hands over on a fresh clone, saying so", () => {
    const { code, said, printed, ran } = project.parley("up");
    expect(said).toBe("parley: installing node modules (npm ci; a minute or two the first time)\nparley: building\n");
    expect(ran).toEqual(["npm ci --no-audit --no-fund --loglevel=error", "tsc"]);
    expect(printed).toBe("running up\n");
    expect(code).toBe(0);
  });

  it("goes straight on the second time, and passes the exit code through", () => {
    project.parley("up");
    expect(project.parley("say", "fail")).toEqual({ code: 7, said: "", printed: "running say fail\n", ran: [] });
  });

  it("builds again when a source was written, added or removed, and removes what was compiled from a removed one", () => {
    project.parley("up");
    project.write("protocol/a.ts", "export const a = 22;");
    expect(project.parley("up").ran).toEqual(["tsc"]);
    project.write("protocol/b.ts", "");
    expect(project.parley("up").ran).toEqual(["tsc"]);
    project.write("dist/protocol/b.test.js", "");
    rmSync(join(project.path, "protocol/b.ts"));
    expect(project.parley("up").ran).toEqual(["tsc"]);
    expect(() => readFileSync(join(project.path, "dist/protocol/b.test.js"))).toThrow("ENOENT");
    expect(project.parley("up").ran).toEqual([]);
  });

  it("installs again when the lock file changed", () => {
    project.parley("up");
    project.write("package-lock.json", '{"changed":true}');
    expect(project.parley("up").ran[0]).toMatch(/^npm ci/);
    expect(project.parley("up").ran).toEqual([]);
  });

  it("tries the build again after one that failed", () => {
    project.write("protocol/broken.ts", "");
    const { code, said } = project.parley("up");
    expect(code).toBe(1);
    expect(said).toContain("parley: the build failed; the compiler's messages are above\n");
    rmSync(join(project.path, "protocol/broken.ts"));
    expect(project.parley("up")).toMatchObject({ code: 0, ran: ["tsc"] });
  });

  it("says in one line that npm did not work", () => {
    project.write("offline", "");
    const { code, said } = project.parley("up");
    expect(code).toBe(1);
    expect(said).toContain("parley: npm ci failed; its messages are above\n");
  });

  it("reads settings from .env, the environment first", () => {
    project.write(
      "tsc.mjs",
      readFileSync(join(project.path, "tsc.mjs"), "utf8").replace(
        '\\"running \\" + args.join(\\" \\")',
        "process.env.PORT + process.env.NATS_URL",
      ),
    );
    project.write(".env", "PORT=8123\nNATS_URL=nats://file:4222\n");
    expect(project.parley("config").printed).toBe("8123nats://elsewhere:4222\n");
  });

  it("works through a link to it, as npm makes one", () => {
    const link = join(project.path, "linked");
    symlinkSync(join(project.path, "bin/parley"), link);
    expect(
      spawnSync(process.execPath, [link, "--help"], {
        encoding: "utf8",
        env: { PATH: `${project.path}/programs:/bin:/usr/bin` },
      }).stdout,
    ).toBe("running --help\n");
  });
});

describe("the first step of commands that start clusters of their own", () => {
  it("installs, builds and bundles on a fresh clone, and does nothing the second time", () => {
    const project = makeProject();
    project.write("web/main.tsx", "");
    const bundled = ["console/index.html", "widget/widget.js", "reference/assets"].map((output) =>
      JSON.stringify(join(project.path, "dist", output)),
    );
    const bundler = `const { mkdirSync, writeFileSync } = require("node:fs");
      for (const file of [${bundled.join(", ")}]) {
        mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
        writeFileSync(file, "");
      }`;
    project.write("node_modules/vite/bin/vite.js", bundler);
    const { code, said, ran } = project.prepare();
    expect(said).toContain("parley: building\nparley: bundling the console, the widget and the reference\n");
    expect([code, ran]).toEqual([0, ["npm ci --no-audit --no-fund --loglevel=error", "tsc"]]);
    expect(project.prepare()).toEqual({ code: 0, said: "", printed: "", ran: [] });
  });

  it("fails where the build does, so that nothing runs on what was built before", () => {
    const project = makeProject();
    project.write("protocol/broken.ts", "");
    expect(project.prepare().code).toBe(1);
  });
});

interface Setup {
  requireNode(version?: string): void;
  ensurePackages(packages: { name: string; isThere: () => boolean }[]): void;
}
interface TestRunner {
  countResults(report: object, status: number): { passed: number; failed: number; skipped: number };
}
const load = async <T>(file: string): Promise<T> =>
  (await import(pathToFileURL(join(root, "launcher", file)).href)) as T;

describe("set-up", () => {
  it("takes the versions of Node.js that package.json takes", async () => {
    const { requireNode } = await load<Setup>("setup.mjs");
    for (const version of ["20.19.0", "20.20.2", "22.11.0"]) expect(() => requireNode(version)).not.toThrow();
    for (const version of ["18.20.0", "20.18.9", "24.0.0"])
      expect(() => requireNode(version)).toThrow(`this is ${version}`);
  });

  it("says what to run when it may not install a package itself", async () => {
    const setup = pathToFileURL(join(root, "launcher/setup.mjs")).href;
    const script = `const { ensurePackages } = await import(${JSON.stringify(setup)});
      try { ensurePackages([{ name: "nats-server", isThere: () => false }, { name: "curl", isThere: () => true }]); } catch (error) { console.log(error.message); }`;
    // A PATH without apt-get stands for a system that is not Debian.
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      env: { PATH: "/nowhere" },
      encoding: "utf8",
    });
    expect(run.stdout).toBe(
      "missing: nats-server; as root run: apt-get update && apt-get install -y --no-install-recommends nats-server\n",
    );
  });
});

describe("the count of npm test", () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 0,
    numPendingTests: 1,
    numTodoTests: 0,
    testResults: [{ status: "passed", assertionResults: [] }],
  };

  it("takes the tests' numbers", async () => {
    const { countResults } = await load<TestRunner>("test.mjs");
    expect(countResults(report, 0)).toEqual({ passed: 5, failed: 0, skipped: 1 });
    expect(countResults({ ...report, numFailedTests: 2 }, 1)).toEqual({ passed: 5, failed: 2, skipped: 1 });
  });

  it("counts a file that cannot be loaded, and an error outside every test", async () => {
    const { countResults } = await load<TestRunner>("test.mjs");
    const unloadable = { status: "failed", assertionResults: [] };
    expect(countResults({ ...report, testResults: [unloadable, unloadable] }, 1).failed).toBe(2);
    expect(countResults(report, 1).failed).toBe(1);
  });
});
