import { type Aim, atMost } from "../report/aim.js";
import { table } from "../results.js";
import type { BurstFigures } from "./figures.js";
import type { BurstRow } from "./run.js";

/** The figures as a page of text. */
export function printBurst({ webSocket, http, echoMs, generatorLagP99Ms }: BurstRow): string {
  const head = [
    "texts at once",
    "asked",
    "begun",
    "in a round",
    "with a gap",
    "first audio p50 ms",
    "p99",
    "refused",
    "after p50 ms",
    "p99",
    "with Retry-After",
    "failed",
  ];
  const line = (title: string, figures: BurstFigures): (string | number)[] => [
    title,
    figures.asked,
    figures.begun,
    `${figures.fewestBegun} to ${figures.mostBegun}`,
    figures.withGap,
    figures.firstAudioMs.p50,
    figures.firstAudioMs.p99,
    figures.refused,
    figures.refusedMs.p50,
    figures.refusedMs.p99,
    figures.withRetryAfter ?? "–",
    figures.failed,
  ];
  const problems = [...webSocket.problems, ...http.problems];
  return [
    table(head, [line("WebSocket", webSocket), line("HTTP", http)]),
    `As many frames at once come back from a server that only echoes after ${echoMs.p50.toFixed(1)} ms (p50), ${echoMs.p99.toFixed(1)} (p99).`,
    `The generator was late by ${generatorLagP99Ms.toFixed(1)} ms (p99, worst round).`,
    ...(problems.length === 0 ? [] : [`Failures: ${problems.join("; ")}`]),
  ].join("\n");
}

/** What texts over WebSockets are held to. */
export function burstAims({ webSocket }: BurstRow): Aim[] {
  return [
    atMost("200 texts at once: first audio of those begun, p99, ms", webSocket.firstAudioMs.p99, 500),
    atMost("200 texts at once: time to a refusal, p99, ms", webSocket.refusedMs.p99, 20),
  ];
}
