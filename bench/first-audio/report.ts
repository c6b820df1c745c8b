import { type Aim, atMost } from "../report/aim.js";
import { type FirstAudioParts, partTitles } from "../edge-log.js";
import type { FirstAudioScenario } from "../scenarios.js";
import { table } from "../results.js";
import type { Spread } from "../statistics.js";
import type { FirstAudioFigures } from "./run.js";

/** The figures as a page of text. */
export function printFirstAudio(figures: FirstAudioFigures): string {
  const line = (title: string, { p50, p95, p99, max }: Spread): (string | number)[] => [title, p50, p95, p99, max];
  const { ratio, plumbingMs, hopsMs, beyondMs, leadingSilenceMs } = figures;
  return [
    table(
      ["milliseconds", "p50", "p95", "p99", "max"],
      [
        line("first audio through the cluster", figures.clusterMs),
        ...(Object.keys(partTitles) as (keyof FirstAudioParts)[]).map((part) =>
          line(partTitles[part], figures.parts[part]),
        ),
        line("first audio of the engine alone", figures.engineMs),
      ],
    ),
    "",
    table(
      ["of the rounds' medians", "median", "min", "max"],
      [
        ["cluster ÷ engine", ratio.median, ratio.min, ratio.max],
        ["plumbing: cluster − engine, ms", plumbingMs.median, plumbingMs.min, plumbingMs.max],
        ["the same way through idle processes, ms", hopsMs.median, hopsMs.min, hopsMs.max],
        ...(beyondMs === null ? [] : [["this format − pcm, ms", beyondMs.median, beyondMs.min, beyondMs.max]]),
      ],
    ),
    `leading silence besides: cluster ${leadingSilenceMs.cluster.toFixed(1)} ms, engine ${leadingSilenceMs.engine.toFixed(1)} ms`,
  ].join("\n");
}

/** What a clause on a warm socket is held to. */
export function firstAudioAims({ plumbingMs, beyondMs }: FirstAudioFigures, { socket }: FirstAudioScenario): Aim[] {
  if (socket !== "warm") return [];
  if (beyondMs === null) return [atMost("first audio: cluster − engine, pcm, ms", plumbingMs.median, 2)];
  return [atMost("first audio: mp3 − pcm, ms", beyondMs.median, 2)];
}
