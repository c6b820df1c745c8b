import type { PartSeconds } from "../../slow-parts.js";
import { overRounds, type Spread, spread } from "../../statistics.js";

type OverRounds = ReturnType<typeof overRounds>;

/** What one way did in one round. */
export interface SpeechRound {
  /** Seconds of audio in a second, all of its processes at once. */
  speed: number;
  /** Milliseconds of processor time, all of its processes', for a second of that audio. */
  processorMs: number;
  /** Where that time went, for a way of many parts. */
  bulk?: { parts: PartSeconds; audioSeconds: number; wallSeconds: number };
  /** Milliseconds to the first 100 ms of samples, by text. */
  firstMs: Record<string, number[]>;
}

/** What one way did in all of them. */
export interface SpeechWayFigures {
  name: string;
  speed: OverRounds;
  processorMs: OverRounds;
  firstMs: Record<string, Spread>;
}

/** Parley over a peer, of each round's figures. */
export interface SpeechRatio {
  to: string;
  speed: OverRounds;
  /** Of the rounds' medians, by text. */
  firstAudio: Record<string, OverRounds>;
}

/** Figures of the rounds, each of which has the ways in their order; the last way is Parley. */
export function speechFigures(
  names: readonly string[],
  rounds: readonly (readonly SpeechRound[])[],
): { ways: SpeechWayFigures[]; ratios: SpeechRatio[] } {
  const texts = Object.keys(rounds[0]?.[0]?.firstMs ?? {});
  const of = <T>(way: number, pick: (round: SpeechRound) => T): T[] =>
    rounds.flatMap((round) => (round[way] === undefined ? [] : [pick(round[way])]));
  const byText = <T>(make: (text: string) => T): Record<string, T> =>
    Object.fromEntries(texts.map((text) => [text, make(text)]));
  const ratio = (peer: number, pick: (round: SpeechRound) => number): OverRounds => {
    const [own, theirs] = [of(names.length - 1, pick), of(peer, pick)];
    return overRounds(own.map((value, round) => value / (theirs[round] ?? Number.NaN)));
  };
  return {
    ways: names.map((name, way) => ({
      name,
      speed: overRounds(of(way, ({ speed }) => speed)),
      processorMs: overRounds(of(way, ({ processorMs }) => processorMs)),
      firstMs: byText((text) => spread(of(way, ({ firstMs }) => firstMs[text] ?? []).flat())),
    })),
    ratios: names
      .slice(0, -1)
      .map((to, peer) => ({
        to,
        speed: ratio(peer, ({ speed }) => speed),
        firstAudio: byText((text) => ratio(peer, ({ firstMs }) => spread(firstMs[text] ?? []).p50)),
      })),
  };
}
