import { type Aim, atLeast, atMost } from "../report/aim.js";
import { table } from "../results.js";
import { engineThreads, printParts } from "../slow-parts.js";
import type { LiveStreamsScenario } from "../scenarios.js";
import type { Spread } from "../statistics.js";
import { type LiveStreamsFigures, type LoadRun, storeTitle } from "./run.js";

const three = ({ p50, p95, p99 }: Spread): string => [p50, p95, p99].map((value) => value.toFixed(0)).join(" / ");

/** One line while the search goes on. */
export function printProgress(run: LoadRun): string {
  const gaps = `${run.late.stored} late with ${storeTitle} stored, ${run.late.plain} with none`;
  const problems = run.failed === 0 ? "" : `, ${run.failed} failed (${run.problems.join("; ")})`;
  return `  ${run.streams} streams: ${gaps}${problems}; first audio ${three(run.firstAudioMs)} ms`;
}

/** The figures as a page of text. */
export function printLiveStreams(figures: LiveStreamsFigures): string {
  const head = [
    "streams",
    "late streams 0/100",
    "late ms 0/100",
    "gaps 0/100",
    "failed",
    "first audio p50/p95/p99 ms",
    "in the edge",
    "queued",
    "generator: core",
    "lag p99 ms",
  ];
  const lines = figures.runs.map((run) => [
    String(run.streams),
    `${run.late.plain}/${run.late.stored}`,
    `${run.lateMs.plain.toFixed(0)}/${run.lateMs.stored.toFixed(0)}`,
    `${run.underruns.plain}/${run.underruns.stored}`,
    run.failed,
    three(run.firstAudioMs),
    three(run.edgeFirstAudioMs),
    three(run.queueMs),
    run.generator.processorShare,
    run.generator.lagP99Ms,
  ]);
  const { mostWithoutGap, fewestWithGap } = figures;
  const shown = figures.runs.findLast((run) => run.streams === (mostWithoutGap ?? fewestWithGap));
  return [
    table(head, lines),
    `most streams without a gap (${storeTitle} stored): ${mostWithoutGap ?? "none found"}; fewest with one: ${fewestWithGap ?? "none found"}`,
    ...(shown === undefined
      ? []
      : [
          "",
          `slow parts, at ${shown.streams} streams:`,
          printParts(shown.parts, shown.audioSeconds, shown.wallSeconds),
        ]),
  ].join("\n");
}

/** What streams whose text is there at once are held to, as 24 kHz PCM. */
export function liveStreamsAims(
  { runs, mostWithoutGap }: LiveStreamsFigures,
  { format, wordsPerSecond }: LiveStreamsScenario,
): Aim[] {
  if (format !== "pcm" || wordsPerSecond !== null) return [];
  const parts = runs.findLast(({ streams }) => streams === mostWithoutGap)?.parts ?? {};
  const all = Object.values(parts).reduce((sum, seconds) => sum + seconds, 0);
  return [
    atLeast("live streams without a gap, the generator on the same cores", mostWithoutGap ?? 0, 140),
    atMost("processor time of live speech ÷ the workers' threads that compute", all / (parts[engineThreads] ?? 0), 1.3),
  ];
}
