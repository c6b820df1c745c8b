import { writeFileSync } from "node:fs";
import { encode } from "@msgpack/msgpack";
import type { TestCluster } from "../harness/cluster.js";
import { openLive } from "../harness/live-client.js";
import { memoryOfRole } from "../harness/memory.js";

/** The roles whose memory and event loop are looked at. */
export const watchedRoles = ["edge", "control-plane", "scheduler-1"] as const;
export type WatchedRole = (typeof watchedRoles)[number];

/** Where each role answers scrapers, when the launcher got `PARLEY_METRICS_PORT`. */
export function metricsUrls(cluster: TestCluster, firstPort: number): Record<WatchedRole, string> {
  const at = (offset: number): string => `http://127.0.0.1:${firstPort + offset}/metrics`;
  return { edge: `${cluster.baseUrl}/metrics`, "control-plane": at(0), "scheduler-1": at(1) };
}

function pidOf(cluster: TestCluster, name: string): number {
  const pid = cluster.processes().find((process) => process.name === name)?.pid;
  if (pid === undefined || pid === null) throw new Error(`${name} does not run`);
  return pid;
}

/** Forgets the largest memory so far (proc(5), clear_refs). */
export function resetPeakMemory(cluster: TestCluster): void {
  for (const role of watchedRoles) writeFileSync(`/proc/${pidOf(cluster, role)}/clear_refs`, "5");
}

/** The most memory of its own that a role had since `resetPeakMemory`, megabytes. */
export function peakMegabytes(cluster: TestCluster, role: WatchedRole): number {
  return memoryOfRole(cluster, role).mostOwnMb;
}

/** The longest time, since it was last asked for, in which a role answered nobody; milliseconds. */
export async function longestStallMs(url: string): Promise<number> {
  const text = await (await fetch(url)).text();
  return Math.round(1000 * Number(/^parley_event_loop_stall_seconds\{[^}]*\} (\S+)$/m.exec(text)?.[1]));
}

/** What a well-behaved client heard. */
export interface Received {
  /** From the text to the first audio, milliseconds, one for each stream that was served. */
  firstAudioMs: number[];
  /** Streams that were refused, broken off or silent, and why. */
  failures: string[];
}

/**
 * A well-behaved client: speaks a sentence on a live socket, waits a moment, and again, until `signal` aborts; at least
 * `least` times.
 */
export async function speakOn(cluster: TestCluster, signal: AbortSignal, least = 1): Promise<Received> {
  const received: Received = { firstAudioMs: [], failures: [] };
  for (let turn = 0; turn < least || !signal.aborted; turn++) {
    await firstAudio(cluster, `This is sentence number ${turn}.`).then(
      (ms) => received.firstAudioMs.push(ms),
      (error: unknown) => received.failures.push(String(error)),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return received;
}

function firstAudio(cluster: TestCluster, text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = openLive(cluster);
    let askedAtMs = 0;
    let firstAtMs: number | null = null;
    const timer = setTimeout(() => {
      reject(new Error("no answer within 20 s"));
      socket.terminate();
    }, 20_000);
    socket.on("open", () => {
      askedAtMs = performance.now();
      for (const event of [
        { event: "start", request: { text: "", format: "pcm" } },
        { event: "text", text },
        { event: "stop" },
      ])
        socket.send(encode(event));
    });
    socket.on("message", (data: Buffer) => {
      firstAtMs ??= performance.now();
      // A `finish`: small, and the only frame without audio.
      if (data.length < 200) socket.close();
    });
    socket.on("error", reject);
    socket.on("close", (code) => {
      clearTimeout(timer);
      if (firstAtMs === null) reject(new Error(`closed with ${code} and no audio`));
      else resolve(firstAtMs - askedAtMs);
    });
  });
}

/** The value below which a share of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
}
