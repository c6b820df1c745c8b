import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { watchOthers } from "../machine.js";
import type { NodePackages } from "../peers/node-packages.js";
import type { HttpRoutesScenario } from "../scenarios.js";
import { objections } from "../validity.js";
import { load, type Target } from "./autocannon.js";
import { peerFolder } from "./installed.js";

/** Share of the most requests at which latency is measured: a full server has the latency of its queue. */
const PART_OF_MOST = 0.5;

/** One route over so many connections. */
export interface RouteLine {
  route: string;
  connections: number;
  /** Answered with 2xx in a second, when each connection asks again at once; and others. */
  perSecond: number;
  refusedPerSecond: number;
  /** Connections that broke, and requests without an answer in time, of both loads. */
  failed: number;
  /** At half of that rate, from the time at which a request was due; null where it was never answered. */
  latencyMs: { p50: number; p97_5: number; p99: number; max: number } | null;
}

export interface HttpRoutesFigures {
  lines: RouteLine[];
  /** Most requests of each route over Fastify's, by route and connections. */
  ratios: { route: string; connections: number; perSecond: number }[];
  versions: Record<string, string>;
}

/** Measures routes of a cluster and one of Fastify's, one after the other, over each number of connections. */
export async function runHttpRoutes(
  scenario: HttpRoutesScenario,
  packages: NodePackages,
): Promise<{ figures: HttpRoutesFigures; invalid: string[] }> {
  const cluster = await startCluster({ workers: scenario.workers });
  const peer = fork(join(peerFolder, "server.mjs"), [packages.folder]);
  try {
    const [port] = (await once(peer, "message")) as [number];
    const targets = [
      ["Fastify: GET /", { url: `http://127.0.0.1:${port}/`, method: "GET", headers: {} }] as const,
      ...routesOf(cluster),
    ];
    const others = watchOthers();
    const lines: RouteLine[] = [];
    for (const connections of scenario.connections)
      for (const [route, target] of targets)
        lines.push(await measure({ scenario, packages, route, target, connections }));
    // A full service refuses speech, and says so in warnings: that is no error.
    const errors = cluster.complaints.filter(({ level }) => level === "error").length;
    const failed = lines.reduce((sum, line) => sum + line.failed, 0);
    const invalid = objections({ load: others.read(), errors: errors + failed });
    return { figures: { lines, ratios: ratiosOf(lines), versions: packages.versions }, invalid };
  } finally {
    peer.disconnect();
    await Promise.all([once(peer, "exit"), cluster.stop()]);
  }
}

function routesOf({ baseUrl, apiKey }: TestCluster): (readonly [string, Target])[] {
  const headers = { authorization: `Bearer ${apiKey}` };
  const get = (path: string): readonly [string, Target] => [
    `GET ${path}`,
    { url: baseUrl + path, method: "GET", headers },
  ];
  const speech: Target = {
    url: `${baseUrl}/v1/tts`,
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ text: "Good morning, friend.", format: "pcm" }),
  };
  return [get("/health"), get("/model"), get("/v1/agent/agents"), ["POST /v1/tts, 21 characters", speech]];
}

interface Measurement {
  scenario: HttpRoutesScenario;
  packages: NodePackages;
  route: string;
  target: Target;
  connections: number;
}

async function measure(given: Measurement): Promise<RouteLine> {
  const { scenario, packages, route, target, connections } = given;
  const { seconds } = scenario;
  await load(packages.folder, target, { connections: 10, seconds: 1, perSecond: null });
  const most = await load(packages.folder, target, { connections, seconds, perSecond: null });
  const perSecond = most["2xx"] / most.duration;
  const paced =
    perSecond * PART_OF_MOST < 1
      ? null
      : await load(packages.folder, target, { connections, seconds, perSecond: perSecond * PART_OF_MOST });
  const refusedPerSecond = most.non2xx / most.duration;
  const failed = [most, paced].reduce((sum, one) => sum + (one?.errors ?? 0) + (one?.timeouts ?? 0), 0);
  return { route, connections, perSecond, refusedPerSecond, failed, latencyMs: paced?.latency ?? null };
}

function ratiosOf(lines: readonly RouteLine[]): HttpRoutesFigures["ratios"] {
  const [yardstick] = lines.map(({ route }) => route);
  return lines
    .filter(({ route }) => route !== yardstick)
    .map(({ route, connections, perSecond }) => {
      const peer = lines.find((line) => line.route === yardstick && line.connections === connections);
      return { route, connections, perSecond: perSecond / (peer?.perSecond ?? Number.NaN) };
    });
}
