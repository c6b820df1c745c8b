import { endOfTurnMs } from "#agents/dialogue/end-of-turn";
import type { SessionDetail } from "#protocol/agents/session";
import { percentile, type Spread, spread } from "../statistics.js";
import type { CallersReport, InterjectionReport, QuestionReport } from "./messages.js";

/** What the design holds conversations to; times in milliseconds. */
export const aims = {
  /** Reply latency beyond the silence that ends the turn. */
  beyondSilenceP50: 150,
  beyondSilenceP95: 300,
  silentP95: 300,
  stoppedShare: 0.05,
  missedShare: 0.05,
  peerRatio: 0.8,
  conversations: 12,
} as const;

/** A reply with so much more silence than the same reply alone has a gap that one hears. */
const GAP_MS = 60;

/** The service's own figures of one turn. */
export interface OwnTurn {
  totalMs: number;
  endpointingMs: number;
  recognitionMs: number | null;
  firstAudioMs: number | null;
  /** Silence that ends a turn of these words. */
  silenceMs: number;
}

/** How many conversations at once did. */
export interface ConversationFigures {
  conversations: number;
  questions: number;
  unanswered: number;
  /** Answers that began before the question was over. */
  early: number;
  /** From the last voiced frame that left the caller to the first audible one that came. */
  latencyMs: Spread;
  /** The same, less the silence that ends a turn of the words that were understood. */
  beyondSilenceMs: Spread;
  /** By the service itself: to the first audible frame that it published. */
  ownMs: Spread;
  ownBeyondSilenceMs: Spread;
  ownParts: { endpointing: Spread; recognition: Spread; firstAudio: Spread };
  /** From the beginning of an interruption to silence, at the caller's side. */
  silentAfterMs: Spread;
  interruptions: number;
  /** What was said, where the agent was silent later than the aim. */
  lateSilences: string[];
  answers: number;
  answersWithGap: number;
  lateMs: Spread;
}

/** Questions and answers of one run; `aloneMs`: how long each clip's answer lasts where nothing disturbs it. */
export function conversationFigures(
  { callers }: Pick<CallersReport, "callers">,
  own: readonly OwnTurn[],
  aloneMs: (report: QuestionReport) => number | null,
  nameOf: (clip: number) => string,
): ConversationFigures {
  const steps = callers.flatMap((caller) => caller.steps);
  const questions = steps.filter((step): step is QuestionReport => step.type === "question");
  const interruptions = steps.filter((step): step is InterjectionReport => step.type === "interruption");
  const answered = questions.flatMap((question) =>
    question.audibleAtMs === null ? [] : [{ question, latencyMs: question.audibleAtMs - question.lastVoicedAtMs }],
  );
  const inTime = answered.filter(({ latencyMs }) => latencyMs >= 0);
  const late = inTime.flatMap(({ question }) => {
    const alone = aloneMs(question);
    return alone === null ? [] : [question.spanMs - alone];
  });
  const silences = interruptions.flatMap(({ clip, silentAfterMs }) =>
    silentAfterMs === null ? [] : [{ clip, afterMs: silentAfterMs }],
  );
  return {
    conversations: callers.length,
    questions: questions.length,
    unanswered: questions.length - answered.length,
    early: answered.length - inTime.length,
    latencyMs: spread(inTime.map(({ latencyMs }) => latencyMs)),
    beyondSilenceMs: spread(inTime.map(({ question, latencyMs }) => latencyMs - silenceMsOf(question.understood))),
    ownMs: spread(own.map(({ totalMs }) => totalMs)),
    ownBeyondSilenceMs: spread(own.map(({ totalMs, silenceMs }) => totalMs - silenceMs)),
    ownParts: {
      endpointing: spread(own.map(({ endpointingMs, silenceMs }) => endpointingMs - silenceMs)),
      recognition: spread(own.flatMap(({ recognitionMs }) => recognitionMs ?? [])),
      firstAudio: spread(own.flatMap(({ firstAudioMs }) => firstAudioMs ?? [])),
    },
    silentAfterMs: spread(silences.map(({ afterMs }) => afterMs)),
    interruptions: silences.length,
    lateSilences: silences
      .filter(({ afterMs }) => afterMs > aims.silentP95)
      .map(({ clip, afterMs }) => `${nameOf(clip)}: ${afterMs.toFixed(0)} ms`),
    answers: late.length,
    answersWithGap: late.filter((ms) => ms > GAP_MS).length,
    lateMs: spread(late),
  };
}

/** Silence that ends a turn of these words, as agents of the benchmark are configured. */
export const silenceMsOf = (words: string): number => endOfTurnMs(words, "eager", "en");

/** The service's own figures of a session's questions: of what was spoken before the first typed message. */
export function ownTurns({ items, turn_latencies }: Pick<SessionDetail, "items" | "turn_latencies">): OwnTurn[] {
  const firstTyped = turn_latencies.find(({ endpointing_ms }) => endpointing_ms === null)?.turn_id ?? Infinity;
  return turn_latencies.flatMap((latency) => {
    const { turn_id, total_ms, endpointing_ms, recognition_ms, first_audio_ms } = latency;
    const said = items.find((item) => item.type === "message" && item.role === "user" && item.turn_id === turn_id);
    if (turn_id >= firstTyped || endpointing_ms === null || said?.type !== "message") return [];
    return [
      {
        totalMs: total_ms,
        endpointingMs: endpointing_ms,
        recognitionMs: recognition_ms,
        firstAudioMs: first_audio_ms,
        silenceMs: silenceMsOf(said.content),
      },
    ];
  });
}

/** What became of the story that somebody spoke into. */
export type Outcome = "went-on" | "answered" | "silent";

export function outcomeOf({ hasNewReply, isAudibleLate }: InterjectionReport): Outcome {
  if (hasNewReply) return "answered";
  return isAudibleLate ? "went-on" : "silent";
}

/** Backchannels and interruptions: how many, and how many were taken for the other. */
export interface InterjectionFigures {
  backchannels: number;
  /** Backchannels after which the story did not go on. */
  stopped: number;
  interruptions: number;
  /** Interruptions after which it did. */
  missed: number;
  /** Interruptions that stopped the story and were not answered. */
  unanswered: number;
  /** What was said and what was understood, of those that went wrong. */
  wrong: string[];
}

export function interjectionFigures(
  reports: readonly InterjectionReport[],
  nameOf: (clip: number) => string,
): InterjectionFigures {
  const of = (type: InterjectionReport["type"], outcomes: readonly Outcome[]): InterjectionReport[] =>
    reports.filter((report) => report.type === type && outcomes.includes(outcomeOf(report)));
  const count = (type: InterjectionReport["type"]): number => reports.filter((report) => report.type === type).length;
  const stopped = of("backchannel", ["answered", "silent"]);
  const missed = of("interruption", ["went-on"]);
  return {
    backchannels: count("backchannel"),
    stopped: stopped.length,
    interruptions: count("interruption"),
    missed: missed.length,
    unanswered: of("interruption", ["silent"]).length,
    wrong: [...stopped, ...missed].map(({ clip, understood }) => `${nameOf(clip)}: "${understood}"`),
  };
}

/** One aim at one number of conversations. */
export interface Held {
  aim: string;
  value: number;
  limit: number;
  isHeld: boolean;
}

/** Which aims this number of conversations holds. A figure that nothing was measured for is not held. */
export function heldAims(figures: ConversationFigures): Held[] {
  const atMost = (aim: string, value: number, limit: number): Held => ({ aim, value, limit, isHeld: value <= limit });
  return [
    atMost("reply p50 beyond silence", figures.ownBeyondSilenceMs.p50, aims.beyondSilenceP50),
    atMost("reply p95 beyond silence", figures.ownBeyondSilenceMs.p95, aims.beyondSilenceP95),
    atMost("silent after interruption p95", figures.silentAfterMs.p95, aims.silentP95),
    atMost("questions without an answer", figures.unanswered, 0),
    atMost("answers with a gap", figures.answersWithGap, 0),
  ];
}

/** The largest number of conversations at which all aims hold, with all smaller ones; null where not even the first does. */
export function mostThatHold(runs: readonly ConversationFigures[]): number | null {
  const sorted = runs.toSorted((a, b) => a.conversations - b.conversations);
  const broken = sorted.findIndex((run) => heldAims(run).some(({ isHeld }) => !isHeld));
  const held = broken === -1 ? sorted : sorted.slice(0, broken);
  return held.at(-1)?.conversations ?? null;
}

/** Median latency of ours over a peer's, at the same number of conversations. */
export function peerRatios(
  ours: readonly ConversationFigures[],
  peers: readonly { conversations: number; latencyMs: Spread }[],
): { conversations: number; p50: number; p95: number }[] {
  return peers.flatMap(({ conversations, latencyMs }) => {
    const own = ours.find((run) => run.conversations === conversations)?.latencyMs;
    return own === undefined ? [] : [{ conversations, p50: own.p50 / latencyMs.p50, p95: own.p95 / latencyMs.p95 }];
  });
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
