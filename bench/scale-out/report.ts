import { table } from "../results.js";
import { scaledRoles } from "./figures.js";
import type { ScaleLine, ScaleOutFigures } from "./run.js";

/** The figures as a page of text. */
export function printScaleOut({ streams, lines }: ScaleOutFigures): string {
  const alone = lines.find(({ doubled }) => doubled === "none");
  const rows = lines.flatMap((line) =>
    scaledRoles
      .filter((role) => line.doubled === "none" || line.doubled === role)
      .map((role) => rowOf(line, role, alone)),
  );
  const head = [
    "role",
    "processes",
    "ms per s of audio",
    "÷ one",
    "busiest thread",
    "its process's part",
    "full at streams",
    "÷ one",
  ];
  const wholes = lines.map(({ doubled, loads, firstAudioMs, withGap, failed }) => [
    doubled === "none" ? "one of each" : `two: ${doubled}`,
    scaledRoles.reduce((sum, role) => sum + loads[role].msPerSecond, 0),
    ...[firstAudioMs.p50, firstAudioMs.p99, withGap, failed],
  ]);
  return [
    table(head, rows),
    "",
    table(["cluster", "three roles, ms per s", "first audio p50 ms", "p99", "with a gap", "failed"], wholes),
    `${streams} streams at once. "full at": streams until the busiest event loop, or the other threads of its process, need a whole core.`,
  ].join("\n");
}

function rowOf(line: ScaleLine, role: (typeof scaledRoles)[number], alone: ScaleLine | undefined): (string | number)[] {
  const { processes, msPerSecond, busiestMsPerSecond, busiestPart, fullAtStreams } = line.loads[role];
  const one = alone?.loads[role];
  return [
    role,
    processes,
    msPerSecond,
    msPerSecond / (one?.msPerSecond ?? Number.NaN),
    busiestMsPerSecond,
    busiestPart,
    Math.round(fullAtStreams),
    fullAtStreams / (one?.fullAtStreams ?? Number.NaN),
  ];
}
