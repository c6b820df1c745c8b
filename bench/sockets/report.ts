import { table } from "../results.js";
import type { overRounds } from "../statistics.js";
import type { SocketsFigures } from "./run.js";

type Rounds = ReturnType<typeof overRounds>;

/** The figures as a page of text. */
export function printSockets({ edge, echo, ratios, framesPerTurn, bytesPerFrame }: SocketsFigures): string {
  const line = (title: string, own: Rounds, other: Rounds, ratio: Rounds | null, unit = 1): (string | number)[] => [
    title,
    own.median / unit,
    other.median / unit,
    ratio?.median ?? "–",
    ratio === null ? "–" : `${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}`,
  ];
  return [
    table(
      ["medians of the rounds", "Parley's edge", "ws, echo", "ratio", "of the rounds"],
      [
        line("KiB of an idle socket", edge.idleBytes, echo.idleBytes, ratios.idleBytes, 1024),
        line("% of a core, all idle sockets", edge.idleCores, echo.idleCores, null, 0.01),
        line("KiB of an active socket", edge.activeBytes, echo.activeBytes, ratios.activeBytes, 1024),
        line(
          "processor ms per second of an active socket",
          edge.activeMsPerSecond,
          echo.activeMsPerSecond,
          ratios.activeMsPerSecond,
        ),
        line("the same, the whole cluster", edge.allMsPerSecond, echo.allMsPerSecond, ratios.allMsPerSecond),
      ],
    ),
    `One turn: ${framesPerTurn.toFixed(1)} frames of ${bytesPerFrame} bytes on average, from the edge, and there and back from the server that echoes.`,
  ].join("\n");
}
