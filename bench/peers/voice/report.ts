import { table } from "../../results.js";
import type { VoicePeersFigures } from "./figures.js";

/** The figures as a page of text. */
export function printVoicePeers({ versions, audioSeconds, idleCores, ways, ratios }: VoicePeersFigures): string {
  const factors = ways.flatMap(({ name, realTimeFactor: clock, processorFactor: processor }) => [
    [`${name}: clock`, clock.median, clock.min, clock.max].map(small),
    [`${name}: processor`, processor.median, processor.min, processor.max].map(small),
  ]);
  const compared = ratios.flatMap(({ of, to, realTimeFactor, processorFactor, firstAudio }) => {
    const line = (figure: string, { median, min, max }: typeof firstAudio): (string | number)[] => [
      `${of} ÷ ${to}: ${figure}`,
      median,
      min,
      max,
    ];
    return [
      line("real-time factor", realTimeFactor),
      line("processor time", processorFactor),
      line("first 100 ms", firstAudio),
    ];
  });
  return [
    `${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}; ${audioSeconds.toFixed(0)} s of audio in a round`,
    table(["seconds for one second of audio, over rounds", "median", "min", "max"], factors),
    "",
    table(
      ["milliseconds to the first 100 ms of audio", "p50", "p95", "p99", "max"],
      ways.map(({ name, firstAudioMs: { p50, p95, p99, max } }) => [name, p50, p95, p99, max]),
    ),
    "",
    table(["of the rounds' figures", "median", "min", "max"], compared),
    "",
    table(
      ["check: beside the engine", "length", "spectral distance, dB"],
      ways.map(({ name, length, distanceDb }) => [name, length, distanceDb ?? "other rate"]),
    ),
    `all four together use ${idleCores.toFixed(3)} cores while nothing is asked`,
  ].join("\n");
}

/** Real-time factors are small: three places behind the point would hide them. */
const small = (value: string | number): string => (typeof value === "number" ? value.toFixed(4) : value);
