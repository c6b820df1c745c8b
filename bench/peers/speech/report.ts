import { type Aim, atLeast, atMost } from "../../report/aim.js";
import { table } from "../../results.js";
import { printParts } from "../../slow-parts.js";
import type { SpeechPeersFigures } from "./run.js";

/** Without the texts that a way was not asked for. */
function measured<Figures extends { p50: number } | { median: number }>(
  byText: Readonly<Record<string, Figures>>,
): [string, Figures][] {
  return Object.entries(byText).filter(([, figures]) => !Number.isNaN("p50" in figures ? figures.p50 : figures.median));
}

/** The figures as a page of text. */
export function printSpeechPeers({ versions, ways, ratios, parts, partsOf }: SpeechPeersFigures): string {
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
    table(
      ["milliseconds of processor time for a second of it", "median", "min", "max"],
      ways.map(({ name, processorMs: { median, min, max } }) => [name, median, min, max]),
    ),
    "",
    table(["milliseconds to the first 100 ms of audio", "p50", "p95", "p99", "max"], first),
    "",
    table(["Parley's /v1/tts over the peer, of the rounds", "median", "min", "max"], compared),
    "",
    "Parley's /v1/tts in bulk:",
    printParts(parts, partsOf.audioSeconds, partsOf.wallSeconds),
  ].join("\n");
}

/** What Parley is held to beside the peers. */
export function speechPeersAims({ ratios }: Pick<SpeechPeersFigures, "ratios">): Aim[] {
  const to = (beginning: string) => ratios.find(({ to: peer }) => peer.startsWith(beginning));
  const first = (peer: string, text: string): number | undefined =>
    Object.entries(to(peer)?.firstAudio ?? {}).find(([name]) => name.startsWith(text))?.[1].median;
  return [
    atLeast("bulk speech ÷ sherpa-onnx", to("sherpa-onnx")?.speed.median, 0.95),
    atLeast("bulk speech ÷ piper", to("piper")?.speed.median, 1.3),
    atMost("first audio of 400 characters ÷ piper's HTTP server", first("piper", "400"), 0.15),
    atMost("first audio of 80 characters ÷ wyoming-piper", first("wyoming", "80"), 0.6),
  ];
}
