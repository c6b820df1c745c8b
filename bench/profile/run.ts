import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { openStream } from "../live-socket.js";
import { texts } from "../live-streams/texts.js";
import { watchOthers } from "../machine.js";
import { picturesDirectory } from "../results.js";
import type { ProfileScenario } from "./scenario.js";
import { objections } from "../validity.js";
import { type Frame, stacksOf } from "./cpu-profile.js";
import { flameGraph } from "./flame-graph.js";
import { startProfiler } from "./profiler.js";

const profiled = ["edge", "scheduler-1", "worker-1", "control-plane"] as const;
const WARM_UP_MS = 15_000;
/** Functions named in the table. */
const MOST_FUNCTIONS = 8;

/** What one role's event loop did. */
export interface RoleProfile {
  role: string;
  /** Share of the time in which it was busy. */
  busy: number;
  collectorShare: number;
  /** Functions by their own time, as shares of the busy time. */
  functions: { name: string; share: number }[];
}

/**
 * Profiles the event loops of a cluster that speaks, and writes their flame graphs. A profiler slows down what it
 * watches: shares can be read, times cannot.
 */
export async function runProfile(
  scenario: ProfileScenario,
): Promise<{ figures: { roles: RoleProfile[] }; invalid: string[] }> {
  const settings = { NODE_OPTIONS: "--inspect-port=127.0.0.1:0 --max-semi-space-size=2" };
  const cluster = await startCluster({ workers: scenario.workers, settings });
  try {
    const others = watchOthers();
    const stop = keepSpeaking(cluster, scenario);
    await delay(WARM_UP_MS);
    const profilers = await Promise.all(
      profiled.map((name) => startProfiler(pidOf(cluster, name), logOf(cluster, name))),
    );
    await delay(scenario.durationMs);
    const profiles = await Promise.all(profilers.map((profiler) => profiler.stop()));
    const problems = await stop();
    mkdirSync(picturesDirectory, { recursive: true });
    const roles = profiles.map((profile, at): RoleProfile => {
      const role = profiled[at] ?? "";
      const stacks = stacksOf(profile);
      const title = `${role}: ${scenario.streams} live streams, pcm; ${stacks.ms.toFixed(0)} ms of ${scenario.durationMs}`;
      writeFileSync(join(picturesDirectory, `flame-${role.replace(/-\d$/, "")}.svg`), flameGraph(title, stacks));
      return { role, busy: stacks.ms / scenario.durationMs, ...sharesOf(stacks) };
    });
    return { figures: { roles }, invalid: objections({ load: others.read(), errors: problems.length }) };
  } finally {
    await cluster.stop();
  }
}

/** Each of so many speakers says one text after another; the function that is given ends them. */
function keepSpeaking(cluster: TestCluster, { streams }: ProfileScenario): () => Promise<string[]> {
  let isOver = false;
  const problems: string[] = [];
  const speak = async (first: number): Promise<void> => {
    // They begin one after another within the warm-up.
    await delay((first / streams) * WARM_UP_MS);
    for (let at = first; !isOver; at++) {
      const problem = await speakOne(cluster, texts[at % texts.length] ?? "").catch(String);
      if (problem !== null) problems.push(problem);
    }
  };
  const speakers = Array.from({ length: streams }, (_, first) => speak(first));
  return async () => {
    isOver = true;
    await Promise.all(speakers);
    return problems;
  };
}

/** Speaks a text over a socket of its own; gives what went wrong. Rejects where the edge takes no socket. */
async function speakOne({ baseUrl, apiKey }: TestCluster, text: string): Promise<string | null> {
  const request = { format: "pcm", sample_rate: 24_000 };
  const stream = await openStream({ baseUrl, apiKey, request }, 0);
  stream.send(text);
  stream.stop();
  return await stream.over;
}

function pidOf(cluster: TestCluster, name: string): number {
  const pid = cluster.processes().find((process) => process.name === name)?.pid;
  if (pid === null || pid === undefined) throw new Error(`there is no ${name}`);
  return pid;
}

function logOf(cluster: TestCluster, name: string): () => string {
  return () => readFileSync(join(cluster.dataDirectory, "logs", `${name}.log`), "utf8");
}

function sharesOf(stacks: Frame): Pick<RoleProfile, "collectorShare" | "functions"> {
  const own = new Map<string, number>();
  const walk = (frame: Frame): void => {
    const ownMs = frame.ms - frame.children.reduce((sum, child) => sum + child.ms, 0);
    const name = `${frame.name} ${frame.place}`.trim();
    own.set(name, (own.get(name) ?? 0) + ownMs);
    frame.children.forEach(walk);
  };
  walk(stacks);
  const functions = [...own].toSorted(([, a], [, b]) => b - a).map(([name, ms]) => ({ name, share: ms / stacks.ms }));
  const collectorShare = functions.find(({ name }) => name === "(garbage collector)")?.share ?? 0;
  return { collectorShare, functions: functions.slice(0, MOST_FUNCTIONS) };
}
