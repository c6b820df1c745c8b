import { table } from "../../results.js";
import type { RecognitionPeersFigures } from "./figures.js";

/** The figures as a page of text. */
export function printRecognitionPeers({
  versions,
  clips,
  words,
  audioSeconds,
  ways,
  ratios,
}: RecognitionPeersFigures): string {
  const named = ["pocketsphinx", "moonshine-cpp"].map((name) => `${name} ${versions[name] ?? "?"}`).join(", ");
  const own = ways[0]?.name ?? "";
  return [
    `${named}; ${clips} clips, ${words} words, ${audioSeconds.toFixed(1)} s of audio in a round`,
    table(
      ["ms for one second of audio, over rounds", "clock", "min", "max", "processor", "min", "max"],
      ways.map(({ name, clockMs, processorMs }) => [
        ...[name, clockMs.median, clockMs.min, clockMs.max],
        ...[processorMs.median, processorMs.min, processorMs.max],
      ]),
    ),
    "",
    table(
      ["from a clip's end to its words, ms", "p50", "p95", "max", "word errors, %"],
      ways.map(({ name, afterEndMs: { p50, p95, max }, wordErrorRate }) => [name, p50, p95, max, wordErrorRate]),
    ),
    "",
    table(
      [`${own} ÷`, "clock", "min", "max", "processor", "min", "max"],
      ratios.map(({ to, clock, processor }) => [
        ...[to, clock.median, clock.min, clock.max],
        ...[processor.median, processor.min, processor.max],
      ]),
    ),
  ].join("\n");
}
