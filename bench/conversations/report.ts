import { type Aim, atLeast, atMost } from "../report/aim.js";
import { table } from "../results.js";
import { printParts } from "../slow-parts.js";
import type { Spread } from "../statistics.js";
import { aims, heldAims } from "./figures.js";
import type { ConversationsFigures, CountRun } from "./run.js";

const two = ({ p50, p95 }: Spread): string =>
  [p50, p95].map((value) => (Number.isNaN(value) ? "–" : value.toFixed(0))).join(" / ");

/** One line while the run goes on. */
export function printProgress(run: CountRun): string {
  const problems = run.problems.length === 0 ? "" : `; PROBLEMS: ${run.problems.join("; ")}`;
  return (
    `  ${run.who}, ${run.conversations} at once, ${run.wallSeconds.toFixed(0)} s: reply ${two(run.latencyMs)} ms at the caller, ` +
    `own figure ${two(run.ownMs)}, silent after ${two(run.silentAfterMs)}, ${run.unanswered} of ${run.questions} unanswered, ` +
    `${run.answersWithGap} answers with a gap, ${coresOf(run).toFixed(2)} cores, callers ${run.callers.processorShare.toFixed(2)}${problems}`
  );
}

/** The figures as a page of text. */
export function printConversations(figures: ConversationsFigures): string {
  const all = [...figures.runs, ...figures.peers];
  const head = [
    "p50 / p95, ms",
    "at once",
    "questions",
    "no answer",
    "early",
    "reply, at the caller",
    "beyond silence",
    "own figure",
    "beyond silence",
    "silent after",
    "gaps",
    "cores",
    "callers' core",
    "lag p99",
  ];
  const lines = all.map((run) => [
    run.who,
    run.conversations,
    run.questions,
    run.unanswered,
    run.early,
    two(run.latencyMs),
    two(run.beyondSilenceMs),
    two(run.ownMs),
    two(run.ownBeyondSilenceMs),
    two(run.silentAfterMs),
    `${run.answersWithGap}/${run.answers}`,
    coresOf(run),
    run.callers.processorShare,
    run.callers.lagP99Ms,
  ]);
  const ownHead = [
    "of the service's own figure, p50 / p95",
    "at once",
    "decided after silence",
    "recognized",
    "first audio",
  ];
  const ownLines = figures.runs.map(({ conversations, ownParts }) => [
    "",
    conversations,
    two(ownParts.endpointing),
    two(ownParts.recognition),
    two(ownParts.firstAudio),
  ]);
  return [
    table(head, lines),
    "",
    table(ownHead, ownLines),
    "",
    ...figures.runs.flatMap((run) => [
      printHeld(run),
      ...run.lateSilences.map((silence) => `  silent late: ${silence}`),
    ]),
    `most conversations that hold every aim: ${figures.mostThatHold ?? "none"} (aim: ${aims.conversations})`,
    ...figures.ratios.map(
      ({ conversations, p50, p95 }) =>
        `Parley ÷ @livekit/agents at ${conversations}: p50 ${p50.toFixed(2)}, p95 ${p95.toFixed(2)} (aim: ${aims.peerRatio})`,
    ),
    ...printInterjections(figures),
    ...figures.runs.flatMap((run) => ["", printProcessorTime(run)]),
  ].join("\n");
}

/** Cores that the service used, its room server included. */
function coresOf({ parts, wallSeconds }: CountRun): number {
  return Object.values(parts).reduce((sum, seconds) => sum + seconds, 0) / wallSeconds;
}

function printHeld(run: CountRun): string {
  const broken = heldAims(run).filter(({ isHeld }) => !isHeld);
  const list = broken.map(({ aim, value, limit }) => `${aim} ${value.toFixed(0)} (aim: ${limit})`).join(", ");
  return `${run.conversations} at once: ${broken.length === 0 ? "every aim is held" : `missed: ${list}`}`;
}

function printInterjections({ interjections }: ConversationsFigures): string[] {
  if (interjections === null) return [];
  const { backchannels, stopped, interruptions, missed, unanswered, wrong } = interjections;
  const percent = (count: number, of: number): string => `${((count / of) * 100).toFixed(1)} %`;
  return [
    `backchannels that stopped a reply: ${stopped} of ${backchannels} (${percent(stopped, backchannels)}; aim: ${aims.stoppedShare * 100} %)`,
    `interruptions missed: ${missed} of ${interruptions} (${percent(missed, interruptions)}; aim: ${aims.missedShare * 100} %); not answered: ${unanswered}`,
    ...wrong.map((line) => `  ${line}`),
  ];
}

function printProcessorTime(run: CountRun): string {
  return [
    `processor time at ${run.conversations}:`,
    printParts(run.parts, run.wallSeconds * run.conversations, run.wallSeconds),
  ].join("\n");
}

/** What conversations are held to, at the most that are wanted at once. */
export function conversationsAims({ runs, ratios, mostThatHold, interjections }: ConversationsFigures): Aim[] {
  return [
    atLeast("conversations at once that hold every aim of a conversation", mostThatHold ?? 0, aims.conversations),
    ...runs
      .filter(({ conversations }) => conversations === aims.conversations)
      .flatMap(heldAims)
      .map(({ aim, value, limit }) => atMost(`${aims.conversations} conversations: ${aim}`, value, limit)),
    ...ratios.slice(0, 1).map(({ p50 }) => atMost("reply ÷ @livekit/agents, p50", p50, aims.peerRatio)),
    ...(interjections === null
      ? []
      : [
          atMost(
            "backchannels that stop a reply",
            interjections.stopped / interjections.backchannels,
            aims.stoppedShare,
          ),
          atMost("interruptions missed", interjections.missed / interjections.interruptions, aims.missedShare),
        ]),
  ];
}
