import { interjectionOf } from "./backchannel.js";
import type { DialogueSettings } from "./settings.js";

/** How long the agent stays silent to find out whether the caller wants the floor… */
const FLOOR_WAIT_MS = 1000;
/** …and where the caller seems to, by words that may still change. */
const WORDS_WAIT_MS = 1500;

/** Speech that interrupts without being understood, in milliseconds; infinity where only words do. */
const speechMs = { low: 1000, balanced: Number.POSITIVE_INFINITY, high: 300 } as const;

/** Words that interrupt, backchannels not counted. */
const wordCount = { low: 3, balanced: 1, high: 1 } as const;

/**
 * Of words that may still change it takes so many: a single one is often another one in the end ("left" of "right"), or
 * half a phrase ("I" of "I see").
 */
const PARTIAL_WORDS = 2;

/** What the caller has said while a reply was there. */
export interface FloorEvidence {
  text: string;
  /** The words may be a hum that was taken for words; does not matter where they may be an answer. */
  isUnsure: boolean;
  /** All words may still change. */
  isPartial: boolean;
  /** How long the caller has been speaking, pauses included. */
  spokenMs: number;
  /** Nothing further comes of what was said. */
  isTranscribed: boolean;
  followsQuestion: boolean;
  /** The reply is not audible yet: the caller just goes on with the turn. */
  isBeforeReply: boolean;
}

/** Whether the caller takes the floor, or leaves it to the agent, or it cannot be said yet. */
export function judgeFloor(evidence: FloorEvidence, settings: DialogueSettings): "interrupt" | "ignore" | "wait" {
  const { text, isUnsure, isPartial, spokenMs, isTranscribed, followsQuestion, isBeforeReply } = evidence;
  const sensitivity = settings.interruptionSensitivity;
  const { realWords, isStop, endsWithStop } = interjectionOf(text, settings.language, followsQuestion);
  // What is being said now may be half a word: "oh no" is often "oh, okay". The agent is silent meanwhile in any case.
  const isSureStop = isStop && !(isPartial && (isUnsure || endsWithStop));
  if (isSureStop || (isBeforeReply && realWords > 0)) return "interrupt";
  const leastWords = Math.max(wordCount[sensitivity], isPartial && !followsQuestion ? PARTIAL_WORDS : 1);
  if ((!isUnsure || followsQuestion) && realWords >= leastWords) return "interrupt";
  if (!isBeforeReply && spokenMs >= speechMs[sensitivity]) return "interrupt";
  return isTranscribed ? "ignore" : "wait";
}

/** How long the agent stays silent, from the caller's start, while `judgeFloor` says to wait. */
export function floorWaitMs(
  { text, followsQuestion }: Pick<FloorEvidence, "text" | "followsQuestion">,
  { language }: Pick<DialogueSettings, "language">,
): number {
  return interjectionOf(text, language, followsQuestion).realWords > 0 ? WORDS_WAIT_MS : FLOOR_WAIT_MS;
}

/** When `judgeFloor` may change its mind by time alone, for a caller who goes on; null where only words count. */
export function floorDueAtMs(startedMs: number, settings: DialogueSettings): number | null {
  const limitMs = speechMs[settings.interruptionSensitivity];
  return Number.isFinite(limitMs) ? startedMs + limitMs : null;
}
