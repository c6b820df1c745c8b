import { type Spread, spread } from "../statistics.js";
import type { BurstOutcome } from "./messages.js";

/** What became of the texts of all rounds. */
export interface BurstFigures {
  asked: number;
  begun: number;
  refused: number;
  failed: number;
  /** Of those that were begun, with 100 ms in store. */
  withGap: number;
  firstAudioMs: Spread;
  refusedMs: Spread;
  /** Refusals that said when to try again; null where the protocol has no place for it. */
  withRetryAfter: number | null;
  /** Begun in the round with the fewest, and in the one with the most. */
  fewestBegun: number;
  mostBegun: number;
  problems: string[];
}

/** The figures of several rounds. */
export function burstFigures(rounds: readonly (readonly BurstOutcome[])[]): BurstFigures {
  const all = rounds.flat();
  const begun = all.filter(({ end }) => end === "spoken");
  const refused = all.filter(({ end }) => end === "refused");
  const failed = all.filter(({ end }) => end === "failed");
  const begunByRound = rounds.map((round) => round.filter(({ end }) => end === "spoken").length);
  const canSayWhen = refused.some(({ hasRetryAfter }) => hasRetryAfter !== null);
  return {
    asked: all.length,
    begun: begun.length,
    refused: refused.length,
    failed: failed.length,
    withGap: begun.filter(({ hasGap }) => hasGap).length,
    firstAudioMs: spread(begun.map(({ firstAudioMs }) => firstAudioMs)),
    refusedMs: spread(refused.map(({ endedMs }) => endedMs)),
    withRetryAfter: canSayWhen ? refused.filter(({ hasRetryAfter }) => hasRetryAfter === true).length : null,
    fewestBegun: Math.min(...begunByRound),
    mostBegun: Math.max(...begunByRound),
    problems: [...new Set(failed.flatMap(({ problem }) => problem ?? []))],
  };
}
