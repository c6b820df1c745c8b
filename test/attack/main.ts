import { parseArgs } from "node:util";
import { randomFrom } from "../faults/control-plane/known.js";
import { allModels, findMetricsPorts, startCluster, type TestCluster } from "../harness/cluster.js";
import { startAttacker } from "./attacker.js";
import { attacks } from "./attacks.js";
import { memoryBoundsMb, STALL_BOUND_MS } from "./bounds.js";
import {
  type Received,
  longestStallMs,
  metricsUrls,
  peakMegabytes,
  percentile,
  resetPeakMemory,
  speakOn,
  type WatchedRole,
  watchedRoles,
} from "./observation.js";

/*
 * `npm run attack`: random mixes of all attacks against a cluster of its own, for ten minutes, with a well-behaved
 * client beside them.
 *
 *     npm run attack -- --minutes 1 --seed 7 --only "tries keys"
 */

const ALONE_STREAMS = 40;
const ROUND_SECONDS = 20;
/** Attacks at once, at most. */
const MOST_AT_ONCE = 6;
/** The well-behaved client's first audio may come this many times later than it does alone, at p99. */
const MOST_SLOWDOWN = 2;

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string" }, only: { type: "string" } },
});
const seed = values.seed === undefined ? Math.floor(Date.now() % 2 ** 31) : Number(values.seed);
const random = randomFrom(seed);
const chosen = attacks.filter(({ name }) => name.includes(values.only ?? ""));
console.log(`seed ${seed}`);

const firstPort = await findMetricsPorts();
const cluster = await startCluster({
  models: allModels,
  settings: { PARLEY_METRICS_PORT: String(firstPort), PARLEY_LIVE_REUSE_SECONDS: "0" },
});
const urls = metricsUrls(cluster, firstPort);
const problems: string[] = [];
try {
  const alone = await speakOn(cluster, AbortSignal.abort(), ALONE_STREAMS);
  const aloneMs = percentile(alone.firstAudioMs, 0.99);
  console.log(`alone: first audio p50 ${percentile(alone.firstAudioMs, 0.5)} ms, p99 ${aloneMs} ms`);
  const received: Received = { firstAudioMs: [], failures: [] };
  for (const untilMs = performance.now() + 60_000 * Number(values.minutes); performance.now() < untilMs; ) {
    const mix = mixOf();
    console.log(`\n${mix.map((name) => `- ${name}`).join("\n")}`);
    const round = await attackFor(cluster, mix);
    received.firstAudioMs.push(...round.firstAudioMs);
    received.failures.push(...round.failures);
  }
  const p99Ms = percentile(received.firstAudioMs, 0.99);
  console.log(
    `\nunder attack: ${received.firstAudioMs.length} streams, first audio p50 ${percentile(received.firstAudioMs, 0.5)} ms, p99 ${p99Ms} ms`,
  );
  if (p99Ms > MOST_SLOWDOWN * aloneMs) problems.push(`first audio p99 ${p99Ms} ms, ${aloneMs} ms alone`);
  const restarted = cluster.processes().filter(({ lives, pid }) => lives !== 1 || pid === null);
  problems.push(...received.failures, ...restarted.map(({ name }) => `${name} died`));
} finally {
  await cluster.stop();
}
console.log(problems.length === 0 ? "\nheld" : `\nnot held:\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** A few of the attacks, by chance. */
function mixOf(): string[] {
  const left = [...chosen];
  const count = 1 + Math.floor(random() * Math.min(MOST_AT_ONCE, left.length));
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0]?.name ?? "");
}

async function attackFor(target: TestCluster, names: readonly string[]): Promise<Received> {
  resetPeakMemory(target);
  for (const role of watchedRoles) await longestStallMs(urls[role]);
  const { hostname, port } = new URL(target.baseUrl);
  const shared = { host: hostname, port: Number(port), apiKey: target.apiKey };
  const attackers = await Promise.all(
    names.map((name) => startAttacker({ ...shared, attacks: [name], seed: Math.floor(random() * 2 ** 31) })),
  );
  const received = await speakOn(target, AbortSignal.timeout(1000 * ROUND_SECONDS));
  for (const role of watchedRoles) note(role, await longestStallMs(urls[role]), peakMegabytes(target, role));
  await Promise.all(attackers.map((attacker) => attacker.stop()));
  console.log(
    `  first audio p99 ${percentile(received.firstAudioMs, 0.99)} ms of ${received.firstAudioMs.length} streams, ${received.failures.length} failures`,
  );
  return received;
}

function note(role: WatchedRole, stallMs: number, peakMb: number): void {
  console.log(`  ${role}: ${peakMb} MB, longest stall ${stallMs} ms`);
  if (stallMs > STALL_BOUND_MS) problems.push(`${role} answered nobody for ${stallMs} ms`);
  if (peakMb > memoryBoundsMb[role]) problems.push(`${role} had ${peakMb} MB`);
}
