import type { ServiceTier } from "#protocol/bus/scheduling";
import { IN_TIME_MS } from "../goodput/figures.js";
import { STORE_MS } from "../live-streams/messages.js";
import type { SimulatedStream } from "../simulation/simulated-stream.js";
import type { Outcome } from "../simulation/simulation.js";
import { type Spread, spread } from "../statistics.js";

/** One simulated cluster under one load. */
export interface SimulatedLine {
  workers: number;
  /** Times what it can speak. */
  multiple: number;
  /** Live streams that came in the time that counts. */
  live: number;
  good: number;
  goodPerSecond: number;
  offeredPerSecond: number;
  refused: number;
  failed: number;
  late: number;
  withGap: number;
  firstAudioMs: Spread;
  /** Times heard over times heard and silent, of live streams: the best over the worst. */
  continuityMaxOverMin: number;
  /** Part of all engine time that each tier had. */
  engineShare: Record<ServiceTier, number>;
  workerDeaths: number;
  resubmissions: number;
  /** Streams without an end: a fault of the scheduling. */
  unfinished: number;
  virtualSeconds: number;
  processorSeconds: number;
}

/** The figures of a run, of what came from `fromMs` to `toMs` of virtual time. */
export function simulatedLine(
  outcome: Outcome,
  given: { multiple: number; fromMs: number; toMs: number; processorSeconds: number },
): SimulatedLine {
  const { multiple, fromMs, toMs, processorSeconds } = given;
  const live = outcome.streams.filter(
    ({ tier, arrivedAtMs }) => tier === "live" && arrivedAtMs >= fromMs && arrivedAtMs < toMs,
  );
  const spoken = live.filter(({ end }) => end === "completed");
  const waitMs = ({ player, arrivedAtMs }: SimulatedStream): number =>
    (player.startedAtMs ?? Number.POSITIVE_INFINITY) - arrivedAtMs;
  const isLate = (stream: SimulatedStream): boolean => waitMs(stream) > IN_TIME_MS;
  // A player with so much in store would not have fallen silent.
  const hasGap = ({ player }: SimulatedStream): boolean => player.stalledMs > STORE_MS;
  const good = spoken.filter((stream) => !isLate(stream) && !hasGap(stream)).length;
  const seconds = (toMs - fromMs) / 1000;
  const continuity = spoken.map(({ player }) => player.playedMs / (player.playedMs + player.stalledMs));
  const engineMs = Object.values(outcome.engineMsByTier).reduce((sum, ms) => sum + ms, 0);
  const share = (tier: ServiceTier): number => outcome.engineMsByTier[tier] / engineMs;
  return {
    ...{ workers: outcome.scenario.workers, multiple, live: live.length, good },
    goodPerSecond: good / seconds,
    offeredPerSecond: live.length / seconds,
    refused: live.filter(({ end }) => end === "refused").length,
    failed: live.filter(({ end }) => end === "failed").length,
    late: spoken.filter(isLate).length,
    withGap: spoken.filter(hasGap).length,
    firstAudioMs: spread(spoken.map(waitMs)),
    continuityMaxOverMin:
      continuity.reduce((most, one) => Math.max(most, one), 0) /
      continuity.reduce((worst, one) => Math.min(worst, one), 1),
    engineShare: { live: share("live"), free: share("free"), bulk: share("bulk") },
    workerDeaths: outcome.scenario.workerKills,
    resubmissions: outcome.resubmissions,
    unfinished: outcome.streams.filter(({ end }) => end === null).length,
    virtualSeconds: outcome.virtualMs / 1000,
    processorSeconds,
  };
}
