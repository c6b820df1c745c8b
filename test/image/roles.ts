import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { liveKitElsewhere, TEST_API_KEY } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { findFreePorts, startNats, startRedis } from "../harness/servers.js";
import { environmentOf, type Stage } from "./dockerfile.js";

/** The user of the image. */
const IMAGE_USER = 10_001;

const READY_MS = 120_000;
const DRAIN_MS = 10_000;

const entryPoints = {
  "control-plane": "dist/control-plane/main.js",
  scheduler: "dist/scheduler/main.js",
  worker: "dist/workers/main.js",
  agent: "dist/agents/main.js",
  edge: "dist/edge/main.js",
} as const;

/**
 * Starts every role from an image's folder, with the environment of the stage, as the image's user where this process may
 * choose one; has the edge speak, and stops all. Gives what went wrong.
 */
export async function tryRoles(app: string, stage: Stage): Promise<string[]> {
  const data = mkdtempSync(join(tmpdir(), "parley-image-data-"));
  const user = process.getuid?.() === 0 ? { uid: IMAGE_USER, gid: IMAGE_USER } : {};
  if (user.uid !== undefined) chownSync(data, IMAGE_USER, IMAGE_USER);
  // Temporary folders are their owner's alone: what lies in an image is not.
  for (const folder of [app, dirname(app), dirname(dirname(app))]) chmodSync(folder, 0o755);
  const [nats, redis, first] = await Promise.all([startNats(), startRedis(), findFreePorts(6)]);
  const running = new Map<string, ChildProcess>();
  const failures: string[] = [];
  try {
    const names = Object.keys(entryPoints) as (keyof typeof entryPoints)[];
    for (const [index, role] of names.entries()) {
      const home = join(data, role);
      mkdirSync(home);
      if (user.uid !== undefined) chownSync(home, IMAGE_USER, IMAGE_USER);
      const child = spawn(process.execPath, [entryPoints[role]], {
        cwd: app,
        ...user,
        env: {
          ...environmentOf(stage),
          ...{ HOST: "127.0.0.1", PORT: String(first + 5), PARLEY_METRICS_PORT: String(first + index) },
          ...{ NATS_URL: nats.url, REDIS_URL: redis.url, PARLEY_API_KEY: TEST_API_KEY, PARLEY_DATA_DIR: home },
          ...{ PARLEY_SECRET_KEY: "x".repeat(32), PARLEY_DRAIN_MS: "3000", ...liveKitElsewhere },
        },
        stdio: ["ignore", "ignore", "inherit"],
      });
      running.set(role, child);
    }
    for (const [index, role] of names.entries()) {
      const startedMs = performance.now();
      await until(() => isReady(first + index), { withinMs: READY_MS, what: `${role} to be ready` });
      console.log(`${role} is ready (${((performance.now() - startedMs) / 1000).toFixed(1)} s after the one before)`);
    }
    const bytes = await speak(`http://127.0.0.1:${first + 5}`);
    if (bytes < 10_000) failures.push(`the edge answered ${bytes} bytes of speech`);
    else console.log(`the edge answered ${bytes} bytes of speech`);
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  }
  for (const [role, child] of [...running].reverse()) {
    if (child.exitCode !== null) {
      failures.push(`${role} ended by itself, with ${child.exitCode}`);
      continue;
    }
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const killing = setTimeout(() => child.kill("SIGKILL"), DRAIN_MS);
    const [code] = (await ended) as [number | null];
    clearTimeout(killing);
    if (code !== 0) failures.push(`${role} did not drain: its exit code is ${code}`);
  }
  await Promise.all([nats.stop(), redis.stop()]);
  return failures;
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

async function speak(baseUrl: string): Promise<number> {
  const answer = await fetch(`${baseUrl}/v1/tts`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ text: "This is the image speaking.", format: "wav" }),
  });
  return answer.ok ? (await answer.arrayBuffer()).byteLength : 0;
}
