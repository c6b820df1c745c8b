import { type Aim, atLeast, atMost } from "../report/aim.js";
import { table } from "../results.js";
import type { Chart } from "../report/chart.js";
import { IN_TIME_MS } from "./figures.js";
import type { GoodputFigures } from "./run.js";

/** What was offered and what was good of it, by load. */
export function goodputCharts({ loads }: GoodputFigures): Chart[] {
  const good = loads.map(({ multiple, figures }): [number, number] => [multiple, figures.goodPerSecond]);
  const offered = loads.map(({ multiple, figures }): [number, number] => [multiple, figures.offeredPerSecond]);
  return [
    {
      ...{ name: "good", title: "Streams heard in time and without a gap", x: "× capacity", y: "streams a second" },
      series: [
        { label: "good", points: good },
        { label: "offered", points: offered },
      ],
    },
  ];
}

/** The figures as a page of text. */
export function printGoodput({ capacity, loads }: GoodputFigures): string {
  const peak = Math.max(...loads.map(({ figures }) => figures.goodPerSecond));
  const head = [
    "× capacity",
    "offered",
    "good",
    "good %",
    "good per s",
    "÷ peak",
    "late",
    "with a gap",
    "first audio p50 ms",
    "p99",
    "refused",
    "after p50 ms",
    "p99",
    "failed",
    "generator: core",
    "lag p99 ms",
  ];
  const lines = loads.map(({ multiple, figures, generator }) => [
    String(multiple),
    figures.offered,
    figures.good,
    Math.round((figures.good / figures.offered) * 100),
    figures.goodPerSecond,
    figures.goodPerSecond / peak,
    figures.late,
    figures.withGap,
    figures.firstAudioMs.p50,
    figures.firstAudioMs.p99,
    figures.refused,
    figures.refusedMs.p50,
    figures.refusedMs.p99,
    figures.failed,
    generator.processorShare,
    generator.lagP99Ms,
  ]);
  return [
    table(head, lines),
    `Capacity, found in this run: ${capacity.streams} streams at once, ${capacity.perSecond.toFixed(2)} a second. Good: spoken to the end, first audio within ${IN_TIME_MS} ms, no gap with 100 ms stored.`,
  ].join("\n");
}

/** What an overload is held to. */
export function goodputAims({ loads }: GoodputFigures): Aim[] {
  const peak = Math.max(...loads.map(({ figures }) => figures.goodPerSecond));
  const double = loads.find(({ multiple }) => multiple === 2)?.figures;
  // Where twice the capacity is served, the first load of which some is refused says how soon.
  const refusing = loads.find(({ multiple, figures }) => multiple >= 2 && figures.refused > 0);
  return [
    atLeast("good streams at 2 × capacity ÷ the peak", (double?.goodPerSecond ?? Number.NaN) / peak, 0.9),
    atMost(`time to a refusal at ${refusing?.multiple ?? 2} × capacity, p99, ms`, refusing?.figures.refusedMs.p99, 20),
  ];
}
