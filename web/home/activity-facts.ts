import type { ActivityReport } from "#protocol/usage";

type Spread = ActivityReport["reply_ms"];

/** What goes on at this moment, by name. */
export function liveFacts({ live }: ActivityReport): [string, string][] {
  return [
    ["Requests being served", live.requests.toLocaleString("en")],
    ["Conversations", live.conversations.toLocaleString("en")],
  ];
}

/** A line of the table of latencies: what, of how many, and the percentiles in milliseconds. */
export interface LatencyLine {
  name: string;
  count: string;
  percentiles: readonly [p50: string, p95: string, p99: string];
}

/** How fast the team was answered in the last 24 hours. */
export function latencyLines({ first_audio_ms, reply_ms }: ActivityReport): LatencyLine[] {
  return [lineOf("First audio of speech", first_audio_ms), lineOf("Reply in conversations", reply_ms)];
}

function lineOf(name: string, spread: Spread): LatencyLine {
  if (spread === null) return { name, count: "0", percentiles: ["–", "–", "–"] };
  const ms = (value: number): string => `${value.toLocaleString("en")} ms`;
  return {
    name,
    count: spread.count.toLocaleString("en"),
    percentiles: [ms(spread.p50), ms(spread.p95), ms(spread.p99)],
  };
}
