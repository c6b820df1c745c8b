import { type Aim, atLeast } from "../../report/aim.js";
import { table } from "../../results.js";
import type { TranscriptionPeersFigures } from "./figures.js";

/** The figures as a page of text. */
export function printTranscriptionPeers(figures: TranscriptionPeersFigures): string {
  const { versions, files, audioSeconds, sherpaBatch, ways, searchShare, sameSymbols, words } = figures;
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  return [
    `sherpa-onnx ${versions["sherpa-onnx-bin"] ?? "?"}, up to ${sherpaBatch} a call; ${files} files, ${audioSeconds.toFixed(0)} s of audio`,
    table(
      ["audio seconds per second, over rounds", "median", "min", "max"],
      ways.map(({ name, speed }) => [name, speed.median, speed.min, speed.max]),
    ),
    "",
    table(
      ["ms of processors per second of audio", "median", "min", "max", "the asking besides"],
      ways.map(({ name, processorMs, askingMs }) => [
        name,
        processorMs.median,
        processorMs.min,
        processorMs.max,
        askingMs.median,
      ]),
    ),
    "",
    table(
      ["speed ÷ sherpa-onnx's, round by round", "median", "min", "max", "÷ its float32", "min", "max"],
      ways
        .slice(1)
        .map(({ name, ratio, ratioToFloat32 }) => [
          name,
          ...[ratio.median, ratio.min, ratio.max],
          ...[ratioToFloat32.median, ratioToFloat32.min, ratioToFloat32.max],
        ]),
    ),
    `the search for words: ${percent(searchShare.median)} of the processor time of /v1/asr (${percent(searchShare.min)} to ${percent(searchShare.max)})`,
    `${percent(sameSymbols)} of sherpa-onnx's symbols are those of /v1/asr, which heard ${words} words`,
  ].join("\n");
}

/** What Parley is held to beside sherpa-onnx's server. */
export function transcriptionPeersAims({ ways: [, , symbols, words] }: TranscriptionPeersFigures): Aim[] {
  return [
    atLeast("/v1/asr ÷ sherpa-onnx's server, symbols only", symbols?.ratio.median, 0.95),
    atLeast("/v1/asr ÷ sherpa-onnx's server, with words", words?.ratio.median, 0.85),
  ];
}
