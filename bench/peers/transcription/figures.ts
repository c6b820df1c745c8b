import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { compareWords } from "#workers/engines/ctc/testing/word-errors";
import type { TranscriptionPeersScenario } from "../../scenarios.js";
import { overRounds } from "../../statistics.js";
import type { Recording } from "../../transcription/files.js";
import type { Recognized, Way } from "./ways.js";

type OverRounds = ReturnType<typeof overRounds>;

/** What one way did. */
export interface TranscriptionPeerFigures {
  name: string;
  /** Seconds of audio in a second. */
  speed: OverRounds;
  /** Milliseconds of processors for a second of audio: of the way's own processes, and of the asking. */
  processorMs: OverRounds;
  askingMs: OverRounds;
  /** Speed over that of sherpa-onnx's server with the graph that Parley runs, round by round. */
  ratio: OverRounds;
  /** The same over its server with the graph in float32. */
  ratioToFloat32: OverRounds;
}

export interface TranscriptionPeersFigures {
  versions: Record<string, string>;
  files: number;
  audioSeconds: number;
  sherpaBatch: number;
  ways: TranscriptionPeerFigures[];
  /** Processor time that the search for words takes of all that `/v1/asr` takes. */
  searchShare: OverRounds;
  /** Of sherpa-onnx's symbols, how many `/v1/asr` gives too when it is asked for symbols. */
  sameSymbols: number;
  words: number;
}

/** What one way did in one round. */
export interface Turn {
  speed: number;
  processorMs: number;
  askingMs: number;
}

/** Length of all together. */
export const secondsOf = (recordings: readonly Recording[]): number =>
  recordings.reduce((sum, { samples }) => sum + samples.length, 0) / RECOGNITION_RATE;

/** Figures of the rounds, each of which has the ways in their order: sherpa-onnx, sherpa-onnx in float32, symbols, words. */
export function figuresOf(measured: {
  scenario: TranscriptionPeersScenario;
  ways: readonly Way[];
  rounds: readonly Turn[][];
  recognized: readonly Recognized[];
  recordings: readonly Recording[];
}): Omit<TranscriptionPeersFigures, "versions"> {
  const { scenario, ways, rounds, recognized, recordings } = measured;
  const of = (index: number, figure: (turn: Turn, round: Turn[]) => number): OverRounds =>
    overRounds(rounds.map((round) => figure(round[index] as Turn, round)));
  const [sherpaRecognized = [], , symbolsRecognized = [], wordsRecognized = []] = recognized;
  const over = (index: number, peer: number): OverRounds =>
    of(index, ({ speed }, round) => speed / (round[peer]?.speed ?? Number.NaN));
  return {
    files: recordings.length,
    audioSeconds: secondsOf(recordings),
    sherpaBatch: scenario.sherpaBatch,
    ways: ways.map(({ name }, index) => ({
      name,
      speed: of(index, ({ speed }) => speed),
      processorMs: of(index, ({ processorMs }) => processorMs),
      askingMs: of(index, ({ askingMs }) => askingMs),
      ratio: over(index, 0),
      ratioToFloat32: over(index, 1),
    })),
    searchShare: overRounds(
      rounds.map(
        ([, , symbols, words]) => 1 - (symbols?.processorMs ?? Number.NaN) / (words?.processorMs ?? Number.NaN),
      ),
    ),
    sameSymbols: sameShare(sherpaRecognized, symbolsRecognized),
    words: wordsRecognized.flat().length,
  };
}

/** Symbols of one that the other has at the same place of the best alignment, as a share. */
export function sameShare(one: readonly string[][], other: readonly string[][]): number {
  const right = one.reduce(
    (sum, symbols, index) => sum + compareWords(other[index] ?? [], symbols).right.filter(Boolean).length,
    0,
  );
  return right / Math.max(1, one.flat().length);
}
