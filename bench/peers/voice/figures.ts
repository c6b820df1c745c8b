import { overRounds, percentile, type Spread, spread } from "../../statistics.js";
import type { VoiceClient } from "./way.js";

type OverRounds = ReturnType<typeof overRounds>;

/** What one way did. */
export interface VoicePeerFigures {
  name: string;
  /** Seconds of the clock, and of processors, for one second of audio. */
  realTimeFactor: OverRounds;
  processorFactor: OverRounds;
  firstAudioMs: Spread;
  /** Length of all sentences over the engine's. */
  length: number;
  /** The worst sentence's distance from the engine's audio; null where the rates differ. */
  distanceDb: number | null;
}

/** One of Parley's ways over a peer, of each round's figures. */
export interface VoicePeerRatio {
  of: string;
  to: string;
  realTimeFactor: OverRounds;
  processorFactor: OverRounds;
  firstAudio: OverRounds;
}

export interface VoicePeersFigures {
  versions: Record<string, string>;
  audioSeconds: number;
  /** Cores that all four together use while nothing is asked. */
  idleCores: number;
  ways: VoicePeerFigures[];
  ratios: VoicePeerRatio[];
}

/** What one way did in one round. */
export interface Round {
  realTimeFactor: number;
  processorFactor: number;
  firstMs: number[];
}

/** What the comparison of the sounds gave. */
export interface Checked {
  audioSeconds: number;
  /** By way, in their order. */
  length: number[];
  distanceDb: (number | null)[];
}

/** Figures of the rounds, each of which has the ways in their order. */
export function figuresOf(
  ways: readonly VoiceClient[],
  rounds: readonly Round[][],
  checked: Checked,
): Pick<VoicePeersFigures, "audioSeconds" | "ways" | "ratios"> {
  const of = (index: number, figure: (round: Round) => number): number[] =>
    rounds.map((round) => figure(round[index] as Round));
  const ratio = (own: number, peer: number, figure: (round: Round) => number): OverRounds => {
    const [mine, theirs] = [of(own, figure), of(peer, figure)];
    return overRounds(mine.map((value, round) => value / (theirs[round] ?? Number.NaN)));
  };
  const firstMs = (round: Round): number => percentile(round.firstMs, 0.5);
  const isOwn = ({ name }: VoiceClient): boolean => name.startsWith("Parley");
  const pairs = ways.flatMap((way, own) =>
    isOwn(way) ? ways.flatMap((other, peer) => (isOwn(other) ? [] : [{ own, peer }])) : [],
  );
  return {
    audioSeconds: checked.audioSeconds,
    ways: ways.map(({ name }, index) => ({
      name,
      realTimeFactor: overRounds(of(index, (round) => round.realTimeFactor)),
      processorFactor: overRounds(of(index, (round) => round.processorFactor)),
      firstAudioMs: spread(rounds.flatMap((round) => round[index]?.firstMs ?? [])),
      length: checked.length[index] ?? Number.NaN,
      distanceDb: checked.distanceDb[index] ?? null,
    })),
    ratios: pairs.map(({ own, peer }) => ({
      of: ways[own]?.name ?? "",
      to: ways[peer]?.name ?? "",
      realTimeFactor: ratio(own, peer, (round) => round.realTimeFactor),
      processorFactor: ratio(own, peer, (round) => round.processorFactor),
      firstAudio: ratio(own, peer, firstMs),
    })),
  };
}
