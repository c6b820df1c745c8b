import { fileURLToPath } from "node:url";
import { loadConfig } from "#common/config/config";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { generateLoad } from "../live-streams/generator.js";
import type { StreamReport } from "../live-streams/messages.js";
import { watchOthers } from "../machine.js";
import { runTask } from "../task-process.js";
import { type Spread, spread } from "../statistics.js";
import { objections } from "../validity.js";
import { type BurstFigures, burstFigures } from "./figures.js";
import type { BurstOutcome, EchoBurstReport, EchoBurstTask, HttpBurstReport, HttpBurstTask } from "./messages.js";
import type { BurstScenario } from "./scenario.js";

/** Two hundred sockets open and start within it, with time to come to rest. */
const HEAD_START_MS = 3000;
/** Streams before the first round: workers and edge have then compiled what they run. */
const WARM_UP_STREAMS = 16;

/** About what one of the texts takes as a frame. */
const FRAME_BYTES = 300;

const echoProgram = fileURLToPath(new URL("./echo-process.js", import.meta.url));
const httpProgram = fileURLToPath(new URL("./http-process.js", import.meta.url));

export interface BurstRow {
  webSocket: BurstFigures;
  http: BurstFigures;
  /** As many frames at once, there and back from a server that does nothing else. */
  echoMs: Spread;
  /** The worst round's. */
  generatorLagP99Ms: number;
}

/** Sends all texts at once, round by round, over WebSockets and over HTTP in turns. */
export async function runBurst(scenario: BurstScenario): Promise<{ figures: BurstRow; invalid: string[] }> {
  const echoTask = { frames: scenario.streams, bytes: FRAME_BYTES, rounds: scenario.rounds };
  const { answeredMs } = await runTask<EchoBurstTask, EchoBurstReport>(echoProgram, echoTask);
  const waitMs = loadConfig({}).PARLEY_LIVE_WAIT_MS;
  const cluster = await startCluster({ workers: scenario.workers, settings: { PARLEY_LIVE_WAIT_MS: String(waitMs) } });
  try {
    await overWebSockets(cluster, scenario, WARM_UP_STREAMS);
    const others = watchOthers();
    const webSocket: BurstOutcome[][] = [];
    const http: BurstOutcome[][] = [];
    const lags: number[] = [];
    for (let round = 0; round < scenario.rounds; round++) {
      const live = await overWebSockets(cluster, scenario, scenario.streams);
      webSocket.push(live.outcomes);
      const { baseUrl, apiKey } = cluster;
      const { sampleRate, streams: requests } = scenario;
      const task = { baseUrl, apiKey, sampleRate, requests };
      const plain = await runTask<HttpBurstTask, HttpBurstReport>(httpProgram, task);
      http.push(plain.outcomes);
      lags.push(live.lagP99Ms, plain.lagP99Ms);
    }
    const generatorLagP99Ms = Math.max(...lags);
    const echoMs = spread(answeredMs);
    const figures = { webSocket: burstFigures(webSocket), http: burstFigures(http), echoMs, generatorLagP99Ms };
    const times = [figures.webSocket, figures.http].flatMap(({ firstAudioMs, refusedMs }) => [firstAudioMs, refusedMs]);
    const judgedMs = Math.min(...times.map(({ p50 }) => p50).filter(Number.isFinite));
    const errors = figures.webSocket.failed + figures.http.failed;
    return { figures, invalid: objections({ load: others.read(), generatorLagP99Ms, judgedMs, errors }) };
  } finally {
    await cluster.stop();
  }
}

async function overWebSockets(
  { baseUrl, apiKey }: TestCluster,
  { format, sampleRate }: BurstScenario,
  streams: number,
): Promise<{ outcomes: BurstOutcome[]; lagP99Ms: number }> {
  const report = await generateLoad({
    ...{ baseUrl, apiKey, streams, audio: { format, sampleRate } },
    ...{ wordsPerSecond: null, rampMs: 0, seed: 1, headStartMs: HEAD_START_MS, isUrgent: true },
  });
  return { outcomes: report.streams.map(outcomeOf), lagP99Ms: report.lagP99Ms };
}

function outcomeOf({ end, firstAudioMs, endedMs, stored, problem }: StreamReport): BurstOutcome {
  return { end, firstAudioMs, endedMs, hasGap: stored.underruns > 0, hasRetryAfter: null, problem };
}
