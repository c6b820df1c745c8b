import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findMetricsPorts, startCluster, type TestCluster } from "../harness/cluster.js";
import { startAttacker } from "./attacker.js";
import { attacks } from "./attacks.js";
import {
  longestStallMs,
  metricsUrls,
  peakMegabytes,
  percentile,
  resetPeakMemory,
  speakOn,
  type WatchedRole,
  watchedRoles,
} from "./observation.js";
import { howMany } from "../harness/thorough.js";
import { memoryBoundsMb, STALL_BOUND_MS } from "./bounds.js";

const ATTACK_MS = howMany(2500, 6000);
const SEED = 10;

describe("a cluster under attack", () => {
  let cluster: TestCluster;
  let urls: Record<WatchedRole, string>;
  let aloneMs: number;

  beforeAll(async () => {
    const firstPort = await findMetricsPorts();
    cluster = await startCluster({
      settings: { PARLEY_METRICS_PORT: String(firstPort), PARLEY_LIVE_REUSE_SECONDS: "0" },
    });
    urls = metricsUrls(cluster, firstPort);
    const alone = await speakOn(cluster, AbortSignal.abort(), 20);
    expect(alone.failures).toEqual([]);
    aloneMs = percentile(alone.firstAudioMs, 0.99);
  });
  afterAll(() => cluster.stop());

  // A machine that stands still for a moment, as virtual ones do, looks like a stall: what is wrong with a role shows
  // again.
  it.each(attacks)("holds while somebody $name", { retry: 1, timeout: 60_000 }, async ({ name }) => {
    resetPeakMemory(cluster);
    for (const role of watchedRoles) await longestStallMs(urls[role]);
    const { hostname, port } = new URL(cluster.baseUrl);
    const attacker = await startAttacker({
      host: hostname,
      port: Number(port),
      apiKey: cluster.apiKey,
      attacks: [name],
      seed: SEED,
    });
    const received = await speakOn(cluster, AbortSignal.timeout(ATTACK_MS));
    const stallMs = Object.fromEntries(
      await Promise.all(watchedRoles.map(async (role) => [role, await longestStallMs(urls[role])] as const)),
    );
    await attacker.stop();
    const peakMb = Object.fromEntries(watchedRoles.map((role) => [role, peakMegabytes(cluster, role)]));
    const p99Ms = percentile(received.firstAudioMs, 0.99);
    console.log(JSON.stringify({ name, received: received.firstAudioMs.length, p99Ms, aloneMs, stallMs, peakMb }));
    expect(received.failures).toEqual([]);
    for (const role of watchedRoles) {
      expect([role, peakMb[role]]).toEqual([role, expect.toSatisfy((mb: number) => mb <= memoryBoundsMb[role])]);
      expect([role, stallMs[role]]).toEqual([role, expect.toSatisfy((ms: number) => ms <= STALL_BOUND_MS)]);
    }
  });

  it("lost no process, and serves all the same", async () => {
    expect(cluster.processes().filter((process) => process.lives !== 1 || process.pid === null)).toEqual([]);
    expect(cluster.complaints.filter(({ level }) => level === "error" || level === "fatal")).toEqual([]);
    expect((await speakOn(cluster, AbortSignal.abort(), 3)).failures).toEqual([]);
  });
});
