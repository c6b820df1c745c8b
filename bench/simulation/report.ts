import type { ServiceTier } from "#protocol/bus/scheduling";
import type { Outcome } from "./simulation.js";
import type { SimulatedStream } from "./simulated-stream.js";

/** One tier's part of a run. */
export interface TierSummary {
  streams: number;
  completed: number;
  refused: number;
  failed: number;
  /** First audio after the stream's arrival, in milliseconds. */
  firstAudioMs: { p50: number; p95: number; p99: number };
  /** Streams that fell silent at least once, and how often and how long all of them together did. */
  streamsWithUnderruns: number;
  underruns: number;
  stalledMs: number;
  /** Part of all engine time during contention. */
  engineShare: number;
}

/** A run in numbers. */
export interface Summary {
  tiers: Record<ServiceTier, TierSummary>;
  /**
   * Listening without silence, played time over played plus stalled time, of completed live streams: max over min, and
   * the worst.
   */
  continuityMaxOverMin: number;
  worstContinuity: number;
  /** How fast live streams were spoken before they were far enough ahead, as a multiple of real time. */
  speed: { p1: number; p50: number; p99: number };
  unfinished: number;
}

const tierNames = ["live", "free", "bulk"] as const;

export function summarize(outcome: Outcome): Summary {
  const engineMs = tierNames.reduce((sum, tier) => sum + outcome.engineMsByTier[tier], 0);
  const ofTier = (tier: ServiceTier): TierSummary => {
    const streams = outcome.streams.filter((stream) => stream.tier === tier);
    const ended = (end: SimulatedStream["end"]): number => streams.filter((stream) => stream.end === end).length;
    const waits = streams.flatMap((stream) =>
      stream.player.startedAtMs === null ? [] : [stream.player.startedAtMs - stream.arrivedAtMs],
    );
    return {
      streams: streams.length,
      completed: ended("completed"),
      refused: ended("refused"),
      failed: ended("failed"),
      firstAudioMs: { p50: percentile(waits, 0.5), p95: percentile(waits, 0.95), p99: percentile(waits, 0.99) },
      streamsWithUnderruns: streams.filter((stream) => stream.player.underruns > 0).length,
      underruns: streams.reduce((sum, stream) => sum + stream.player.underruns, 0),
      stalledMs: streams.reduce((sum, stream) => sum + stream.player.stalledMs, 0),
      engineShare: engineMs === 0 ? 0 : outcome.engineMsByTier[tier] / engineMs,
    };
  };
  const received = outcome.streams.filter((stream) => stream.tier === "live" && stream.end === "completed");
  const continuity = received.map(({ player }) => player.playedMs / (player.playedMs + player.stalledMs));
  const speeds = received.flatMap((stream) => (stream.speed === null ? [] : [stream.speed]));
  const worstContinuity = continuity.reduce((worst, one) => Math.min(worst, one), 1);
  return {
    tiers: { live: ofTier("live"), free: ofTier("free"), bulk: ofTier("bulk") },
    continuityMaxOverMin: continuity.reduce((most, one) => Math.max(most, one), 0) / worstContinuity,
    worstContinuity,
    speed: { p1: percentile(speeds, 0.01), p50: percentile(speeds, 0.5), p99: percentile(speeds, 0.99) },
    unfinished: outcome.streams.filter((stream) => stream.end === null).length,
  };
}

/** The run as a page of text. */
export function printable(outcome: Outcome, took: { wallSeconds: number; processorSeconds: number }): string {
  const { scenario, cost } = outcome;
  const summary = summarize(outcome);
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const virtualSeconds = (outcome.virtualMs / 1000).toFixed(0);
  const lines = [
    `${scenario.name}: ${scenario.workers} workers, ${scenario.schedulers} schedulers, ${scenario.edges} edges, ${scenario.streams} streams`,
    `  ${virtualSeconds} s of virtual time in ${took.wallSeconds.toFixed(1)} s (${took.processorSeconds.toFixed(1)} s of processor time)`,
    `  core: ${cost.chunkEvents} chunk events, ${((cost.chunkWallMs * 1000) / cost.chunkEvents).toFixed(2)} us each;`,
    `    ${cost.otherEvents} heartbeats and ticks, ${((cost.otherWallMs * 1000) / cost.otherEvents).toFixed(2)} us each; ${cost.faults} faults`,
    `  resubmitted chunks: ${outcome.resubmissions}, unfinished streams: ${summary.unfinished}, left in queues: ${outcome.leftOver}`,
  ];
  for (const tier of tierNames) {
    const one = summary.tiers[tier];
    const { p50, p95, p99 } = one.firstAudioMs;
    lines.push(
      `  ${tier}: ${one.streams} streams, ${one.completed} completed, ${one.refused} refused, ${one.failed} failed`,
      `    engine share ${(one.engineShare * 100).toFixed(1)} %`,
      `    first audio p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}`,
    );
    if (tier !== "bulk")
      lines.push(
        `    underruns ${one.underruns} in ${one.streamsWithUnderruns} streams, ${ms(one.stalledMs)} of silence in all`,
      );
  }
  lines.push(
    `  fairness among live streams: continuity max/min ${summary.continuityMaxOverMin.toFixed(2)} (worst ${summary.worstContinuity.toFixed(3)}),`,
    `    spoken at ${summary.speed.p1.toFixed(1)} / ${summary.speed.p50.toFixed(1)} / ${summary.speed.p99.toFixed(1)} times real time (p1/p50/p99)`,
  );
  return lines.join("\n");
}

/** Nearest-rank percentile; NaN of nothing. */
function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}
