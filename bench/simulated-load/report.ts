import { type Aim, atLeast } from "../report/aim.js";
import type { Chart } from "../report/chart.js";
import { table } from "../results.js";
import type { SimulatedLine } from "./figures.js";
import type { SimulatedLoadFigures } from "./run.js";

/** The figures as a page of text. */
export function printSimulatedLoad({ whole, parts }: SimulatedLoadFigures): string {
  const peak = Math.max(...parts.map(({ goodPerSecond }) => goodPerSecond));
  const head = [
    "workers",
    "× capacity",
    "live streams",
    "good %",
    "good per s",
    "÷ peak",
    "first audio p50 ms",
    "p99",
    "late",
    "with a gap",
    "refused",
    "failed",
    "deaths",
    "sent again",
    "continuity",
  ];
  const row = (line: SimulatedLine, ofPeak: number | string): (string | number)[] => [
    String(line.workers),
    line.multiple,
    line.live,
    (line.good / line.live) * 100,
    line.goodPerSecond,
    ofPeak,
    line.firstAudioMs.p50,
    line.firstAudioMs.p99,
    line.late,
    line.withGap,
    line.refused,
    line.failed,
    line.workerDeaths,
    line.resubmissions,
    line.continuityMaxOverMin,
  ];
  const shares = [...parts, whole].map(({ workers, multiple, engineShare, processorSeconds, virtualSeconds }) => [
    String(workers),
    multiple,
    ...[engineShare.live, engineShare.free, engineShare.bulk].map((share) => share * 100),
    Math.round(virtualSeconds),
    Math.round(processorSeconds),
  ]);
  return [
    table(head, [...parts.map((line) => row(line, line.goodPerSecond / peak)), row(whole, "–")]),
    "",
    table(["workers", "× capacity", "engine time: live %", "free %", "bulk %", "virtual s", "processor s"], shares),
    "continuity: of live streams, times heard over times heard and silent, the best over the worst.",
  ].join("\n");
}

/** Goodput and first audio of the part, by load. */
export function simulatedLoadCharts({ parts }: SimulatedLoadFigures): Chart[] {
  const points = (pick: (line: SimulatedLine) => number): [number, number][] =>
    parts.map((line) => [line.multiple, pick(line)]);
  return [
    {
      ...{ name: "good", title: "Simulated: live streams heard in time and without a gap" },
      ...{ x: "× capacity", y: "streams a second" },
      series: [
        { label: "good", points: points((line) => line.goodPerSecond) },
        { label: "offered", points: points((line) => line.offeredPerSecond) },
      ],
    },
    {
      ...{ name: "first-audio", title: "Simulated: first audio of the live streams that are begun" },
      ...{ x: "× capacity", y: "milliseconds" },
      series: [
        { label: "p50", points: points((line) => line.firstAudioMs.p50) },
        { label: "p99", points: points((line) => line.firstAudioMs.p99) },
      ],
    },
  ];
}

/** What the part of the cluster is held to under every load. */
export function simulatedLoadAims({ parts }: SimulatedLoadFigures): Aim[] {
  const peak = Math.max(...parts.map(({ goodPerSecond }) => goodPerSecond));
  const double = parts.find(({ multiple }) => multiple === 2);
  return [
    atLeast("simulated: good streams at 2 × capacity ÷ the peak", (double?.goodPerSecond ?? Number.NaN) / peak, 0.9),
  ];
}
