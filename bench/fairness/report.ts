import type { LoadFigures } from "../goodput/figures.js";
import { table } from "../results.js";
import type { FairnessFigures } from "./run.js";

/** The figures as a page of text. */
export function printFairness(figures: FairnessFigures): string {
  const { capacity, alone, beside, flood, p50Ratio, p99Ratio, generatorLagP99Ms } = figures;
  const head = [
    "team",
    "offered",
    "good",
    "good %",
    "first audio p50 ms",
    "p95",
    "p99",
    "late",
    "with a gap",
    "refused",
    "after p50 ms",
    "p99",
    "failed",
  ];
  const line = (title: string, load: LoadFigures): (string | number)[] => [
    title,
    load.offered,
    load.good,
    Math.round((load.good / load.offered) * 100),
    load.firstAudioMs.p50,
    load.firstAudioMs.p95,
    load.firstAudioMs.p99,
    load.late,
    load.withGap,
    load.refused,
    load.refusedMs.p50,
    load.refusedMs.p99,
    load.failed,
  ];
  const { median, min, max } = p50Ratio;
  return [
    table(head, [line("quiet, alone", alone), line("quiet, beside the flood", beside), line("the flood", flood)]),
    `First audio of the quiet team, beside ÷ alone: p50 ${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)} of the rounds), p99 ${p99Ratio.toFixed(2)} of all rounds together.`,
    `Capacity, found in this run: ${capacity.streams} streams at once, ${capacity.perSecond.toFixed(2)} a second. The generators were late by ${generatorLagP99Ms.toFixed(1)} ms (p99, the worst).`,
  ].join("\n");
}
