import { startCluster } from "#test/harness/cluster";
import { generateLoad } from "../live-streams/generator.js";
import { type GeneratorReport, STORE_MS } from "../live-streams/messages.js";
import { type OthersLoad, watchOthers } from "../machine.js";
import { mainThreadSeconds, processSeconds } from "../processor-time.js";
import { type Spread, spread } from "../statistics.js";
import { objections } from "../validity.js";
import { type ProcessTime, type RoleLoad, roleLoads, type ScaledRole, scaledRoles } from "./figures.js";
import type { ScaleOutScenario } from "./scenario.js";
import { type SecondEdge, startSecondEdge } from "./second-edge.js";

/** Sockets are open and started this long before their text is due. */
const HEAD_START_MS = 500;
const WARM_UP_STREAMS = 8;
const READY_MS = 180_000;
const settings = { PARLEY_IDLE_SECONDS: "600" };

/** A cluster with two processes of one role, or with one of each. */
export type Doubled = ScaledRole | "none";

/** All rounds of one cluster. */
export interface ScaleLine {
  doubled: Doubled;
  loads: Record<ScaledRole, RoleLoad>;
  firstAudioMs: Spread;
  withGap: number;
  failed: number;
}

export interface ScaleOutFigures {
  streams: number;
  lines: ScaleLine[];
}

/** Speaks the same streams in a cluster with one process of each role, then in those with two of one. */
export async function runScaleOut(
  scenario: ScaleOutScenario,
): Promise<{ figures: ScaleOutFigures; invalid: string[] }> {
  const lines: ScaleLine[] = [];
  const invalid: string[] = [];
  for (const doubled of ["none", ...scaledRoles] as const) {
    const { line, load, generatorLagP99Ms } = await measure(doubled, scenario);
    lines.push(line);
    const found = objections({ load, generatorLagP99Ms, judgedMs: STORE_MS, errors: line.failed });
    invalid.push(...found.map((reason) => `${doubled === "none" ? "one of each" : `two: ${doubled}`}: ${reason}`));
  }
  return { figures: { streams: scenario.streams, lines }, invalid };
}

async function measure(
  doubled: Doubled,
  scenario: ScaleOutScenario,
): Promise<{ line: ScaleLine; load: OthersLoad; generatorLagP99Ms: number }> {
  const two = (role: ScaledRole): number => (doubled === role ? 2 : 1);
  const cluster = await startCluster({
    schedulers: two("scheduler"),
    workers: two("worker"),
    settings,
    readyMs: READY_MS,
  });
  let second: SecondEdge | null = null;
  try {
    second = doubled === "edge" ? await startSecondEdge(cluster, settings) : null;
    const edges = [cluster.baseUrl, ...(second === null ? [] : [second.baseUrl])];
    const speak = (streams: number, seed: number): Promise<GeneratorReport[]> =>
      Promise.all(
        edges.map((baseUrl, edge) =>
          generate({ cluster: { ...cluster, baseUrl }, scenario, streams: streams / edges.length, seed: seed + edge }),
        ),
      );
    await speak(WARM_UP_STREAMS, scenario.seed);
    const processes = [
      ...cluster.processes().flatMap(({ name, pid }) => rolesOf(name).map((role) => ({ role, pid: pid as number }))),
      ...(second === null ? [] : [{ role: "edge" as const, pid: second.pid }]),
    ];
    const times = (): ProcessTime[] =>
      processes.map(({ role, pid }) => {
        const loopSeconds = mainThreadSeconds(pid);
        return { role, loopSeconds, otherSeconds: processSeconds(pid) - loopSeconds };
      });
    const others = watchOthers();
    const before = times();
    const reports: GeneratorReport[] = [];
    for (let round = 0; round < scenario.rounds; round++)
      reports.push(...(await speak(scenario.streams, scenario.seed + round * edges.length)));
    const used = times().map((after, i) => ({
      role: after.role,
      loopSeconds: after.loopSeconds - (before[i]?.loopSeconds ?? 0),
      otherSeconds: after.otherSeconds - (before[i]?.otherSeconds ?? 0),
    }));
    const load = others.read();
    return {
      line: lineOf(doubled, used, reports),
      load,
      generatorLagP99Ms: Math.max(...reports.map((one) => one.lagP99Ms)),
    };
  } finally {
    await second?.stop();
    await cluster.stop();
  }
}

/** The role of `worker-1`; none of a server. */
function rolesOf(name: string): ScaledRole[] {
  return scaledRoles.filter((role) => name.replace(/-\d+$/, "") === role);
}

function lineOf(doubled: Doubled, used: readonly ProcessTime[], reports: readonly GeneratorReport[]): ScaleLine {
  const streams = reports.flatMap((report) => report.streams);
  const spoken = streams.filter(({ end }) => end === "spoken");
  const audioSeconds = spoken.reduce((sum, { audioMs }) => sum + audioMs, 0) / 1000;
  return {
    doubled,
    loads: roleLoads(used, audioSeconds),
    firstAudioMs: spread(spoken.map(({ firstAudioMs }) => firstAudioMs)),
    withGap: spoken.filter(({ stored }) => stored.underruns > 0).length,
    failed: streams.length - spoken.length,
  };
}

function generate({
  cluster: { baseUrl, apiKey },
  scenario: { format, sampleRate, rampMs },
  streams,
  seed,
}: {
  cluster: { baseUrl: string; apiKey: string };
  scenario: ScaleOutScenario;
  streams: number;
  seed: number;
}): Promise<GeneratorReport> {
  return generateLoad({
    ...{ baseUrl, apiKey, audio: { format, sampleRate }, streams, wordsPerSecond: null, rampMs, seed },
    ...{ headStartMs: HEAD_START_MS, isUrgent: true },
  });
}
