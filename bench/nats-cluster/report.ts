import { type Aim, atMost } from "../report/aim.js";
import { table } from "../results.js";
import type { Spread } from "../statistics.js";
import type { NatsClusterFigures } from "./run.js";

/** The figures as a page of text. */
export function printNatsCluster(figures: NatsClusterFigures): string {
  const { oneMs, threeMs, p50Ratio, p50MoreMs, p99Ratio, replicatedStreams, kill } = figures;
  const line = (title: string, { p50, p95, p99, max }: Spread): (string | number)[] => [title, p50, p95, p99, max];
  const { streams, equal, different, failed, problems } = kill;
  return [
    table(
      ["first audio, milliseconds", "p50", "p95", "p99", "max"],
      [line("one NATS server", oneMs), line("three, JetStream replicated", threeMs)],
    ),
    "",
    table(
      ["of the rounds", "median", "min", "max"],
      [
        ["three ÷ one, p50", p50Ratio.median, p50Ratio.min, p50Ratio.max],
        ["three − one, p50, ms", p50MoreMs.median, p50MoreMs.min, p50MoreMs.max],
      ],
    ),
    `three ÷ one, p99: ${p99Ratio.toFixed(2)} of all rounds together; replicated: ${replicatedStreams.join(", ")}`,
    `A server killed under ${streams} streams: ${equal} had the bytes of an undisturbed one, ${different} had others, ${failed} failed${problems.length === 0 ? "" : ` (${problems.join("; ")})`}.`,
  ].join("\n");
}

/** What a NATS server's death is held to. */
export const natsClusterAims = ({ kill }: NatsClusterFigures): Aim[] => [
  atMost("of 50 streams under a killed NATS server, those with other bytes or none", kill.streams - kill.equal, 0),
];
