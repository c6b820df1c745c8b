import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { LockedError, takeLock } from "#common/files/file-lock";
import { findFreePort } from "#launcher/servers";
import { anotherContainer, canUnshare } from "../harness/namespaces.js";
import { descendantsOf, isAlive, until, untilGone } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { fakeRoles } from "./fake-roles.js";

const main = pathToFileURL(join(import.meta.dirname, "../../cli/main.js")).href;

interface Launcher {
  process: ChildProcess;
  dataDirectory: string;
  output: () => string;
  /** Resolves with the exit code and the signal. */
  ended: Promise<[number | null, NodeJS.Signals | null]>;
}

const roles = temporaryDirectory("roles");
const slow = temporaryDirectory("slow");

beforeAll(() => {
  fakeRoles(roles.path);
  // A stream that takes longer to finish than anyone waits.
  fakeRoles(slow.path, {
    edge: "async () => ({ drain: () => new Promise((resolve) => setTimeout(resolve, 60_000)), stop: async () => {} })",
  });
});
afterAll(() => {
  roles.remove();
  slow.remove();
});

/** Runs `parley up` as a process of its own, on fake roles. */
function launch(
  options: {
    settings?: Record<string, string>;
    dataDirectory?: string;
    distDirectory?: string;
    prefix?: readonly string[];
    /** Of the command `up`. */
    options?: readonly string[];
  } = {},
): Launcher {
  const temporary = temporaryDirectory("up");
  const dataDirectory = options.dataDirectory ?? temporary.path;
  const script = `
    const { runCommandLine } = await import(${JSON.stringify(main)});
    const { stdin, stdout, stderr, env } = process;
    process.exitCode = await runCommandLine(${JSON.stringify(["up", ...(options.options ?? [])])}, { environment: env, stdin, stdout, stderr, distDirectory: ${JSON.stringify(options.distDirectory ?? roles.path)} });`;
  const [command = "", ...args] = [...(options.prefix ?? []), process.execPath, "--input-type=module", "-e", script];
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      PARLEY_LIVEKIT: "off",
      PARLEY_WORKERS: "1",
      PARLEY_DATA_DIR: dataDirectory,
      PARLEY_DRAIN_MS: "1000",
      ...options.settings,
    },
    stdio: ["ignore", "ignore", "pipe"],
    // The head of a process group, as a command typed at a terminal is.
    detached: true,
  });
  let output = "";
  child.stderr.on("data", (data: Buffer) => {
    output += data.toString();
  });
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    temporary.remove();
  });
  return { process: child, dataDirectory, output: () => output, ended };
}

const isReady = (launcher: Launcher): Promise<void> =>
  until(() => launcher.output().includes("Parley is ready"), { withinMs: 15_000, what: "the banner" });

/** Whether nobody holds a data directory. */
function takesLock(dataDirectory: string): boolean {
  try {
    takeLock(join(dataDirectory, "launcher.lock"))();
    return true;
  } catch (error) {
    if (error instanceof LockedError) return false;
    throw error;
  }
}

/** Every process below the launcher. */
const descendants = (launcher: Launcher): number[] => descendantsOf(launcher.process.pid ?? 0);

/** As a terminal does: every process of the launcher's group gets the signal. */
const signalGroup = (launcher: Launcher, signal: NodeJS.Signals): void =>
  void process.kill(-(launcher.process.pid ?? 0), signal);

/** An edge that gives sign-in links to whoever shows a key, and nothing else. */
const signingIn = `async ({ config }) => {
  const { createServer } = await import("node:http");
  const server = createServer(({ method, url, headers }, answer) => {
    const code = [method, url, headers.authorization].join(" ").replaceAll(" ", "_");
    answer.writeHead(201, { "content-type": "application/json" });
    answer.end(JSON.stringify({ code, path: "/console/sign-in#" + code, expires_at: "2026-11-20T10:00:00Z" }));
  });
  await new Promise((resolve) => server.listen(config.PORT, config.HOST, resolve));
  return { drain: async () => {}, stop: async () => { server.closeAllConnections(); server.close(); } };
}`;

describe("parley up", () => {
  it("prints a link that signs in to the console, where there is one", async () => {
    const directory = temporaryDirectory("signing-in");
    onTestFinished(directory.remove);
    const launcher = launch({ distDirectory: fakeRoles(directory.path, { edge: signingIn }) });
    await isReady(launcher);
    const key = readFileSync(join(launcher.dataDirectory, "api-key"), "utf8").trim();
    const [, port = ""] = /Base URL {3}http:\/\/127\.0\.0\.1:(\d+)/.exec(launcher.output()) ?? [];
    expect(launcher.output()).toContain(
      `Console    http://127.0.0.1:${port}/console/sign-in#POST_/v1/console/sign-in-codes_Bearer_${key}\n`,
    );
    const settings = { PARLEY_CONSOLE: "off" };
    const without = launch({ distDirectory: directory.path, settings });
    await isReady(without);
    expect(without.output()).not.toContain("Console ");
  });

  it("prints what a newcomer needs, and leaves nothing behind after Ctrl-C", async () => {
    const launcher = launch();
    await isReady(launcher);
    const key = readFileSync(join(launcher.dataDirectory, "api-key"), "utf8").trim();
    const run = JSON.parse(readFileSync(join(launcher.dataDirectory, "run.json"), "utf8")) as {
      baseUrl: string;
      pid: number;
    };
    expect(run.pid).toBe(launcher.process.pid);
    expect(launcher.output()).toContain(`Base URL   ${run.baseUrl}\n`);
    expect(launcher.output()).toContain(`API key    ${key}\n`);
    // These roles have no console, and give no link to it.
    expect(launcher.output()).not.toContain("Console ");
    expect(launcher.output()).toContain(`Docs       ${run.baseUrl}/docs\n`);
    expect(launcher.output()).toContain(
      `curl -sS --fail-with-body ${run.baseUrl}/v1/tts -H "Authorization: Bearer ${key}"`,
    );
    expect(key).toMatch(/^pk_[0-9A-Za-z]{61}$/);
    expect(statSync(join(launcher.dataDirectory, "api-key")).mode & 0o777).toBe(0o600);
    expect(statSync(join(launcher.dataDirectory, "run.json")).mode & 0o777).toBe(0o600);
    const children = descendants(launcher);
    expect(children.length).toBeGreaterThanOrEqual(7);
    launcher.process.kill("SIGINT");
    expect(await launcher.ended).toEqual([0, null]);
    await Promise.all(children.map((pid) => untilGone(pid, 500)));
    expect(() => statSync(join(launcher.dataDirectory, "run.json"))).toThrow("ENOENT");
  });

  it("says where conversations are held, and what came of a LiveKit server that has to be built", async () => {
    const directory = temporaryDirectory("go");
    onTestFinished(directory.remove);
    writeFileSync(join(directory.path, "go"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const settings = {
      PARLEY_LIVEKIT: "auto",
      PATH: `${directory.path}:/usr/bin:/bin`,
      XDG_CACHE_HOME: join(directory.path, "cache"),
    };
    const launcher = launch({ settings });
    await isReady(launcher);
    expect(launcher.output()).toMatch(/ LiveKit {4}1\.13\.5 is built once, in the background/);
    await until(() => launcher.output().includes("livekit-build.log"), { withinMs: 5000, what: "what came of it" });
    expect(launcher.output()).toMatch(
      /\nConversations: none: agents cannot talk; LiveKit 1\.13\.5: it could not be built/,
    );
  });

  it("names the sample agent that a control plane has, and makes none with --no-sample", async () => {
    const directory = temporaryDirectory("sampling");
    onTestFinished(directory.remove);
    fakeRoles(directory.path, {
      "control-plane":
        "async ({ config }) => ({ drain: async () => {}, stop: async () => {}, facts: { sample: config.PARLEY_SAMPLE === 'on' ? 'Guide' : null } })",
    });
    const rooms = { LIVEKIT_URL: "wss://rooms.example.com", LIVEKIT_API_KEY: "k", LIVEKIT_API_SECRET: "s" };
    const settings = { ...rooms, PARLEY_AGENTS: "0" };
    const named = [];
    for (const options of [
      { settings },
      { settings, options: ["--no-sample"] },
      { settings: { ...settings, PARLEY_SAMPLE: "off" } },
      // Where no agent can talk.
      {},
    ]) {
      const launcher = launch({ distDirectory: directory.path, ...options });
      await isReady(launcher);
      named.push(launcher.output().includes('bin/parley talk "Guide"'));
      launcher.process.kill("SIGKILL");
    }
    expect(named).toEqual([true, false, false, false]);
  }, 60_000);

  it("keeps the development key over restarts, and starts again in a used data directory", async () => {
    const first = launch();
    await isReady(first);
    const key = readFileSync(join(first.dataDirectory, "api-key"), "utf8");
    first.process.kill("SIGTERM");
    await first.ended;
    const second = launch({ dataDirectory: first.dataDirectory });
    await isReady(second);
    expect(readFileSync(join(first.dataDirectory, "api-key"), "utf8")).toBe(key);
  });

  it("leaves nothing behind when it is killed, and the next start is not locked out", async () => {
    const launcher = launch();
    await isReady(launcher);
    const children = descendants(launcher);
    expect(children.every(isAlive)).toBe(true);
    launcher.process.kill("SIGKILL");
    await Promise.all(children.map((pid) => untilGone(pid, 8000)));
    const next = launch({ dataDirectory: launcher.dataDirectory });
    await isReady(next);
  });

  it.each([
    ["Ctrl-C", "SIGINT"],
    ["end of its terminal", "SIGHUP"],
  ] as const)("lets running streams finish at the first %s and ends at once at the second", async (_what, signal) => {
    const launcher = launch({ distDirectory: slow.path, settings: { PARLEY_DRAIN_MS: "60000" } });
    await isReady(launcher);
    const children = descendants(launcher);
    signalGroup(launcher, signal);
    await until(() => launcher.output().includes("Stopping"), { withinMs: 2000, what: "the farewell" });
    expect(children.every(isAlive)).toBe(true);
    signalGroup(launcher, signal);
    expect(await launcher.ended).toEqual([130, null]);
    await Promise.all(children.map((pid) => untilGone(pid, 500)));
  });

  it("ends a drain that takes too long", async () => {
    const launcher = launch({ distDirectory: slow.path, settings: { PARLEY_DRAIN_MS: "300" } });
    await isReady(launcher);
    const startedMs = performance.now();
    launcher.process.kill("SIGINT");
    await launcher.ended;
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });

  it("says in one line that the port is taken", async () => {
    const port = await findFreePort();
    const holder = createServer().listen(port, "127.0.0.1");
    await once(holder, "listening");
    onTestFinished(() => void holder.close());
    const launcher = launch({ settings: { PORT: String(port) } });
    expect(await launcher.ended).toEqual([1, null]);
    expect(launcher.output()).toMatch(new RegExp(`^parley: Port ${port} on 127.0.0.1 is already in use; .*\n$`));
  });

  it("says in one line that another Parley has the data directory", async () => {
    const first = launch();
    await isReady(first);
    const second = launch({ dataDirectory: first.dataDirectory });
    expect(await second.ended).toEqual([1, null]);
    expect(second.output()).toBe(
      `parley: Parley already runs on ${first.dataDirectory} (pid ${first.process.pid}); stop it, or set PARLEY_DATA_DIR to another folder\n`,
    );
    expect(first.process.exitCode).toBeNull();
  });

  it("says so, too, when the other Parley runs in another container on the same volume", async ({ skip }) => {
    if (!canUnshare()) skip();
    const first = launch({ prefix: anotherContainer });
    await isReady(first);
    const second = launch({ dataDirectory: first.dataDirectory });
    expect(await second.ended).toEqual([1, null]);
    expect(second.output()).toMatch(
      /^parley: Parley already runs on \S+ \(pid \d+\); stop it, or set PARLEY_DATA_DIR to another folder\n$/,
    );
    // The namespace ends with whoever made it, and everything in it with the namespace: as when a container is killed.
    first.process.kill("SIGKILL");
    await first.ended;
    await until(() => takesLock(first.dataDirectory), { withinMs: 5000, what: "the lock to be free" });
    await isReady(launch({ dataDirectory: first.dataDirectory }));
  });

  it.each(["", "garbage\n", '{"pid":', "4294967296 0\n"])("starts with a lock file that holds %j", async (content) => {
    const launcher = launch();
    writeFileSync(join(launcher.dataDirectory, "launcher.lock"), content);
    await isReady(launcher);
  });

  it("makes another development key where an earlier release left an empty file on a full disk", async () => {
    const launcher = launch();
    writeFileSync(join(launcher.dataDirectory, "api-key"), "");
    writeFileSync(join(launcher.dataDirectory, "run.json"), '{"pid":');
    await isReady(launcher);
    expect(readFileSync(join(launcher.dataDirectory, "api-key"), "utf8")).toMatch(/^pk_[0-9A-Za-z]{61}\n$/);
  });

  it("names a wrong setting", async () => {
    const launcher = launch({ settings: { PARLEY_WORKERS: "many" } });
    expect(await launcher.ended).toEqual([1, null]);
    expect(launcher.output()).toContain('PARLEY_WORKERS must be an integer from 1 to 256, not "many"');
  });
});
