import { overRounds, type Spread, spread } from "../../statistics.js";
import { rate, type WordErrors } from "../../turn/word-errors.js";

type OverRounds = ReturnType<typeof overRounds>;

/** What one way did. */
export interface RecognizerFigures {
  name: string;
  /** Milliseconds of the clock, and of processors, for one second of audio. */
  clockMs: OverRounds;
  processorMs: OverRounds;
  /** From the end of a clip to its words. */
  afterEndMs: Spread;
  /** Of the words that were said, percent; the same in each round. */
  wordErrorRate: number;
}

export interface RecognitionPeersFigures {
  versions: Record<string, string>;
  clips: number;
  words: number;
  audioSeconds: number;
  ways: RecognizerFigures[];
  /** The first way's figures over another's, of each round. */
  ratios: { to: string; clock: OverRounds; processor: OverRounds }[];
}

/** What one way did in one round. */
export interface RecognizerRound {
  clockMs: number;
  processorMs: number;
  afterEndMs: number[];
  errors: WordErrors;
}

/** Figures of the rounds, each of which has the ways in the order of `names`. */
export function figuresOf(
  names: readonly string[],
  rounds: readonly (readonly RecognizerRound[])[],
): Pick<RecognitionPeersFigures, "ways" | "ratios"> {
  const of = <Value>(index: number, figure: (round: RecognizerRound) => Value): Value[] =>
    rounds.map((round) => figure(round[index] as RecognizerRound));
  const ratio = (index: number, figure: (round: RecognizerRound) => number): OverRounds => {
    const [own, other] = [of(0, figure), of(index, figure)];
    return overRounds(own.map((value, round) => value / (other[round] ?? Number.NaN)));
  };
  return {
    ways: names.map((name, index) => ({
      name,
      clockMs: overRounds(of(index, ({ clockMs }) => clockMs)),
      processorMs: overRounds(of(index, ({ processorMs }) => processorMs)),
      afterEndMs: spread(of(index, ({ afterEndMs }) => afterEndMs).flat()),
      wordErrorRate: rate(of(index, ({ errors }) => errors)[0] as WordErrors),
    })),
    ratios: names
      .slice(1)
      .map((to, at) => ({
        to,
        clock: ratio(at + 1, ({ clockMs }) => clockMs),
        processor: ratio(at + 1, ({ processorMs }) => processorMs),
      })),
  };
}
