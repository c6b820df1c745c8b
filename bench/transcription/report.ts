import { type Aim, atLeast } from "../report/aim.js";
import { table } from "../results.js";
import type { TranscriptionFigures } from "./run.js";

/** The figures as a page of text. */
export function printTranscription({
  audioSeconds,
  files,
  cluster,
  engine,
  ratio,
  processorMs,
  sameWords,
}: TranscriptionFigures): string {
  return [
    `${files} files, ${audioSeconds.toFixed(0)} s of audio`,
    table(
      ["audio seconds per second, over rounds", "median", "min", "max"],
      [
        ["through /v1/asr", cluster.median, cluster.min, cluster.max],
        ...engine.map(({ batch, speed }) => [
          `recognizer in a loop, ${batch} a call`,
          speed.median,
          speed.min,
          speed.max,
        ]),
        ["/v1/asr ÷ best of the loop", ratio.median, ratio.min, ratio.max],
      ],
    ),
    table(
      ["processor time, ms per second of audio", "mean"],
      [
        ...Object.entries(processorMs),
        [
          "service, all of it",
          Object.entries(processorMs).reduce((sum, [role, ms]) => sum + (role === "client" ? 0 : ms), 0),
        ],
        ...engine.map(({ batch, processorMs: ms }): [string, number] => [`recognizer in a loop, ${batch} a call`, ms]),
      ],
    ),
    `${(100 * sameWords).toFixed(1)} % of the words are the loop's`,
  ].join("\n");
}

/** What files are held to. */
export const transcriptionAims = ({ ratio }: TranscriptionFigures): Aim[] => [
  atLeast("/v1/asr ÷ the recognizer in a loop", ratio.median, 0.8),
];
