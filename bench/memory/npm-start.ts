import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "#launcher/servers";
import { readRunFile } from "#launcher/run-file";
import type { ServiceAccess } from "#test/harness/cluster";
import { temporaryDirectory } from "#test/harness/temporary-directory";
import { childrenOf } from "../processor-time.js";

/** `dist/bench/memory` → the repository. */
const root = join(import.meta.dirname, "../../..");
const LOOK_EVERY_MS = 100;

/** What `npm start` starts, with its own settings. */
export interface StartedService extends ServiceAccess {
  pid: number;
  stop(): Promise<void>;
}

/** Starts `bin/parley up` in a data directory of its own; resolves when it is ready. Throws when it ends before. */
export async function npmStart(withinMs: number): Promise<StartedService> {
  const directory = temporaryDirectory("memory");
  const PORT = String(await findFreePort());
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(root, "bin/parley"), "up"], {
    cwd: root,
    env: { PATH, HOME, PORT, PARLEY_DATA_DIR: directory.path },
    stdio: "ignore",
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    directory.remove();
  };
  try {
    const baseUrl = await readyAt(child, directory.path, withinMs);
    const apiKey = readFileSync(join(directory.path, "api-key"), "utf8").trim();
    return { pid: child.pid ?? 0, baseUrl, apiKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readyAt(child: ChildProcess, dataDirectory: string, withinMs: number): Promise<string> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
    const baseUrl = readRunFile(dataDirectory)?.baseUrl;
    const isReady =
      baseUrl !== undefined &&
      (await fetch(`${baseUrl}/ready`).then(
        ({ ok }) => ok,
        // It does not listen yet.
        () => false,
      ));
    if (isReady) return baseUrl;
    if (performance.now() > deadlineMs) throw new Error(`npm start was not ready within ${withinMs} ms`);
    await delay(LOOK_EVERY_MS);
  }
}

/** A process and all that it started, by what they are: `edge`, `workers`, `nats-server`. */
export function processesOf(pid: number): { pid: number; name: string }[] {
  return [{ pid, name: nameOf(pid) }, ...childrenOf(pid).flatMap(processesOf)];
}

function nameOf(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  const role = words.flatMap((word) => /dist\/([\w-]+)\/main\.js$/.exec(word)?.[1] ?? [])[0];
  return role ?? (words.some((word) => word.endsWith("bin/parley")) ? "launcher" : (words[0]?.split("/").at(-1) ?? ""));
}
