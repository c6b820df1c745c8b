import { rmSync } from "node:fs";
import { allModels, startCluster, type TestCluster } from "./cluster.js";

let shared: Promise<TestCluster> | null = null;

/**
 * The cluster of all test files that run in this process: those of the project `shared-cluster` in vitest.config.mjs,
 * which ask it things, count nothing in it that others count too, and leave it whole. Starting one takes eight seconds
 * of a core. Nobody stops it: it ends with the process. One that lost a process is replaced.
 */
export async function sharedCluster(): Promise<TestCluster> {
  const before = await shared?.catch(() => null);
  if (before !== undefined && before !== null && isWhole(before)) return before;
  await before?.stop();
  shared = start();
  return await shared;
}

const isWhole = (cluster: TestCluster): boolean =>
  cluster.processes().every(({ pid, lives }) => pid !== null && lives === 1);

async function start(): Promise<TestCluster> {
  const cluster = await startCluster({
    models: allModels,
    workers: 2,
    readyMs: 150_000,
    settings: { PARLEY_OUTBOUND_ALLOW: "127.0.0.1:1" },
  });
  // So does Vitest end a process that has no more files to run; it waits a second, which is too short to drain.
  process.once("SIGTERM", () => {
    for (const { pid } of cluster.processes()) if (pid !== null) process.kill(pid, "SIGKILL");
    rmSync(cluster.dataDirectory, { recursive: true, force: true, maxRetries: 3 });
    process.exit();
  });
  return cluster;
}
