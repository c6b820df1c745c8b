import { table } from "../results.js";
import type { overRounds } from "../statistics.js";
import type { IdleFigures } from "./idle-sockets.js";
import type { RequestsFigures } from "./requests.js";
import type { StreamsFigures } from "./streams.js";

type Rounds = ReturnType<typeof overRounds>;

const range = ({ median, min, max }: Rounds, places: number): string =>
  `${median.toFixed(places)} (${min.toFixed(places)} to ${max.toFixed(places)})`;

const names = { get: "GET", post: "POST of 2 KB" } as const;

/** The figures as a page of text. */
export function printRequests({ lines, ratios }: RequestsFigures): string {
  return [
    table(
      ["requests", "engine", "per second", "µs of processor time each", "server: core", "generator: core"],
      lines.map((line) => [
        ...[names[line.request], line.engine, range(line.perSecond, 0), range(line.processorMicroseconds, 1)],
        ...[line.serverShare.median, line.generatorShare.median],
      ]),
    ),
    "",
    table(
      ["node:http ÷ uWebSockets.js", "per second", "processor time each"],
      ratios.map(({ request, perSecond, processor }) => [names[request], range(perSecond, 2), range(processor, 2)]),
    ),
  ].join("\n");
}

/** The figures as a page of text. */
export function printStreams({ lines, pacing, ratios }: StreamsFigures): string {
  return [
    table(
      [
        ...["sockets", "engine", "processor ms per stream-second", "late ms p50", "p99", "sent to received ms p50"],
        ...["p99", "generator: core", "lag p99 ms"],
      ],
      lines.map((line) => [
        ...[String(line.sockets), line.engine, range(line.processorMsPerStreamSecond, 2)],
        ...[range(line.latenessP50Ms, 2), range(line.latenessP99Ms, 2), line.transitP50Ms.median],
        ...[line.transitP99Ms.median, line.generatorShare.median, line.generatorLagP99Ms.max],
      ]),
    ),
    "",
    table(
      ["timers and frames alone", "processor ms per stream-second"],
      pacing.map((alone) => [String(alone.sockets), alone.processorMsPerStreamSecond]),
    ),
    "",
    table(
      ["ws ÷ uWebSockets.js", "processor time"],
      ratios.map(({ sockets, processor }) => [String(sockets), range(processor, 2)]),
    ),
  ].join("\n");
}

/** The figures as a page of text. */
export function printIdleSockets({ sockets, lines }: IdleFigures): string {
  const kilobytes = ({ median, min, max }: Rounds): string =>
    range({ median: median / 1024, min: min / 1024, max: max / 1024 }, 1);
  return table(
    [`${sockets} idle WebSockets`, "resident KiB each", "of it, counted by V8"],
    lines.map(({ engine, residentBytes, heapBytes }) => [engine, kilobytes(residentBytes), kilobytes(heapBytes)]),
  );
}
