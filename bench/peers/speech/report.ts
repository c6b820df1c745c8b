import { table } from "../../results.js";
import type { SpeechPeersFigures } from "./run.js";

/** Parley over the peer: speed at least, first audio at most. */
const aims =
  "Aims: bulk ÷ sherpa-onnx at least 0.95, ÷ piper at least 1.3; first audio of 400 characters ÷ piper at most 0.15, of 80 ÷ wyoming-piper at most 0.6.";

/** Without the texts that a way was not asked for. */
function measured<Figures extends { p50: number } | { median: number }>(
  byText: Readonly<Record<string, Figures>>,
): [string, Figures][] {
  return Object.entries(byText).filter(([, figures]) => !Number.isNaN("p50" in figures ? figures.p50 : figures.median));
}

/** The figures as a page of text. */
export function printSpeechPeers({ versions, ways, ratios }: SpeechPeersFigures): string {
  const first = ways.flatMap(({ name, firstMs }) =>
    measured(firstMs).map(([text, { p50, p95, p99, max }]) => [`${name}, ${text}`, p50, p95, p99, max]),
  );
  const compared = ratios.flatMap(({ to, speed, firstAudio }) => [
    [`÷ ${to}: bulk`, speed.median, speed.min, speed.max],
    ...measured(firstAudio).map(([text, { median, min, max }]) => [
      `÷ ${to}: first audio, ${text}`,
      ...[median, min, max].map((value) => value.toFixed(3)),
    ]),
  ]);
  return [
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
    table(
      ["seconds of audio in a second, all cores, over rounds", "median", "min", "max"],
      ways.map(({ name, speed: { median, min, max } }) => [name, median, min, max]),
    ),
    "",
    table(["milliseconds to the first 100 ms of audio", "p50", "p95", "p99", "max"], first),
    "",
    table(["Parley's /v1/tts over the peer, of the rounds", "median", "min", "max"], compared),
    aims,
  ].join("\n");
}
