import { type Aim, atMost } from "../report/aim.js";
import { type FirstAudioParts, partTitles } from "../edge-log.js";
import { table } from "../results.js";
import type { Spread } from "../statistics.js";
import type { BesideUploadsFigures } from "./run.js";

/** The figures as a page of text. */
export function printBesideUploads(figures: BesideUploadsFigures): string {
  const line = (title: string, { p50, p95, p99, max }: Spread): (string | number)[] => [title, p50, p95, p99, max];
  const { aloneMs, besideMs, p50Ratio, p99Ratio, uploadSpeed, uploaderCores, parts } = figures;
  const partLines = (of: FirstAudioParts): (string | number)[][] =>
    (Object.keys(partTitles) as (keyof FirstAudioParts)[]).map((part) => line(partTitles[part], of[part]));
  return [
    table(
      ["milliseconds", "p50", "p95", "p99", "max"],
      [
        line("first audio alone", aloneMs),
        ...partLines(parts.alone),
        line("first audio beside uploads", besideMs),
        ...partLines(parts.beside),
      ],
    ),
    "",
    table(
      ["of the rounds", "median", "min", "max"],
      [
        ["beside ÷ alone, p50", p50Ratio.median, p50Ratio.min, p50Ratio.max],
        ["audio transcribed meanwhile, s/s", uploadSpeed.median, uploadSpeed.min, uploadSpeed.max],
      ],
    ),
    `beside ÷ alone, p99: ${p99Ratio.toFixed(2)}; the process that sends the files used ${uploaderCores.toFixed(2)} cores`,
  ].join("\n");
}

/** What clauses beside uploads are held to. */
export function besideUploadsAims({ p50Ratio, p99Ratio }: BesideUploadsFigures): Aim[] {
  return [
    atMost("first audio beside 16 uploads ÷ alone, p50", p50Ratio.median, 1.5),
    atMost("first audio beside 16 uploads ÷ alone, p99", p99Ratio, 2),
  ];
}
