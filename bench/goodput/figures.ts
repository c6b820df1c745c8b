import type { StreamReport } from "../live-streams/messages.js";
import { type Spread, spread } from "../statistics.js";

/** First audio later than this is no good to whoever listens. */
export const IN_TIME_MS = 500;

/** What became of the streams of one load. */
export interface LoadFigures {
  offered: number;
  offeredPerSecond: number;
  /** Spoken to the end, first audio in time, without a gap for a player with 100 ms in store. */
  good: number;
  goodPerSecond: number;
  refused: number;
  failed: number;
  /** Of those that were spoken: first audio too late, and with a gap. */
  late: number;
  withGap: number;
  firstAudioMs: Spread;
  refusedMs: Spread;
}

/** The streams of one load that were due from `fromMs` to `toMs`; what came before only filled the service. */
export function loadFigures(
  streams: readonly StreamReport[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): LoadFigures {
  const counted = streams.filter(({ dueMs }) => dueMs >= fromMs && dueMs < toMs);
  const spoken = counted.filter(({ end }) => end === "spoken");
  const refused = counted.filter(({ end }) => end === "refused");
  const isLate = ({ firstAudioMs }: StreamReport): boolean => firstAudioMs > IN_TIME_MS;
  const hasGap = ({ stored }: StreamReport): boolean => stored.underruns > 0;
  const good = spoken.filter((stream) => !isLate(stream) && !hasGap(stream)).length;
  return {
    offered: counted.length,
    offeredPerSecond: (counted.length * 1000) / (toMs - fromMs),
    good,
    goodPerSecond: (good * 1000) / (toMs - fromMs),
    refused: refused.length,
    failed: counted.length - spoken.length - refused.length,
    late: spoken.filter(isLate).length,
    withGap: spoken.filter(hasGap).length,
    firstAudioMs: spread(spoken.map(({ firstAudioMs }) => firstAudioMs)),
    refusedMs: spread(refused.map(({ endedMs }) => endedMs)),
  };
}
