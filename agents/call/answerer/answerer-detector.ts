import type { AnsweredBy } from "#protocol/webhooks";
import { wordsOf } from "../../dialogue/language/words.js";
import { type GreetingSign, judgeGreeting } from "./greeting-words.js";

/** What is heard of whoever answers a call. Times are the call's `nowMs`, on one monotonic clock. */
export type AnswererInput =
  /** Somebody speaks, since `atMs`. */
  | { type: "speech-started"; atMs: number }
  /** Nobody has spoken since `lastVoicedMs`. */
  | { type: "speech-paused"; lastVoicedMs: number }
  /** All words so far; the last ones may change. */
  | { type: "words"; text: string }
  | { type: "beep-started" }
  | { type: "beep-ended" }
  /** The time has come that `nextWakeMs` asked for. */
  | { type: "tick" };

/** What follows. */
export type AnswererFinding =
  /** Who answers. Comes once. */
  | { type: "answered-by"; answeredBy: AnsweredBy }
  /** The machine records now: a message may be left. Comes once, after `voicemail`. */
  | { type: "recording" };

/** Nobody says a word for so long after picking up. */
const SILENT_MS = 2500;
/** Silence after which a person waits for an answer, where the words say so: by how they end, or as a mere greeting… */
const CLOSING_PAUSE_MS = 450;
const GREETING_PAUSE_MS = 550;
/** …and by how long was spoken, where they do not: machines pause between sentences. */
const pauses: readonly { spokenMs: number; pauseMs: number }[] = [
  { spokenMs: 1000, pauseMs: 650 },
  { spokenMs: 2500, pauseMs: 900 },
  { spokenMs: 5000, pauseMs: 1300 },
  { spokenMs: Number.POSITIVE_INFINITY, pauseMs: 1800 },
];
/** A greeting is all that a person says where it lasts no longer. */
const SHORT_GREETING_MS = 1500;
/** A greeting of so many words that lasts so long without a pause is a machine's. */
const LONG_MS = 10_000;
const LONG_WORDS = 15;
/** Past it nobody knows: the agent begins to speak. */
const LONGEST_MS = 14_000;
/** A machine without a beep records after so much silence, and any machine when so much time has passed. */
const RECORDING_PAUSE_MS = 3000;
const LONGEST_GREETING_MS = 60_000;
/** The line is quiet for so long after a beep before the message begins. */
const AFTER_BEEP_MS = 200;

/**
 * Finds out who answered a call, from the first seconds of their audio: how long is spoken, where it pauses, what is
 * said, and beeps. A state machine without clock, network or timer: `input` takes what happened and gives what follows;
 * put in a tick at `nextWakeMs`.
 */
export class AnswererDetector {
  readonly #language: string;
  readonly #beganMs: number;
  #answeredBy: AnsweredBy | null = null;
  #isRecording = false;
  /** When somebody first spoke, and last. */
  #spokeFromMs: number | null = null;
  #spokeToMs = 0;
  #isSpeaking = false;
  #isBeeping = false;
  #beepedAtMs: number | null = null;
  #text = "";

  /** `nowMs` is when the call was answered, `language` a BCP-47 primary subtag. */
  constructor({ language, nowMs }: { language: string; nowMs: number }) {
    this.#language = language;
    this.#beganMs = nowMs;
    this.#spokeToMs = nowMs;
  }

  /** Nothing will follow any more. */
  get isOver(): boolean {
    return this.#answeredBy !== null && (this.#answeredBy !== "voicemail" || this.#isRecording);
  }

  input(input: AnswererInput, nowMs: number): AnswererFinding[] {
    if (this.isOver) return [];
    this.#take(input, nowMs);
    const findings: AnswererFinding[] = [];
    this.#answeredBy ??= this.#decide(nowMs, findings);
    if (this.#answeredBy === "voicemail" && nowMs >= this.#recordingAtMs()) {
      this.#isRecording = true;
      findings.push({ type: "recording" });
    }
    return findings;
  }

  /** When a tick is due if nothing happens before; null when nothing waits for time. */
  nextWakeMs(): number | null {
    if (this.isOver) return null;
    if (this.#answeredBy === "voicemail") return this.#recordingAtMs();
    const longAtMs = (this.#spokeFromMs ?? Number.POSITIVE_INFINITY) + LONG_MS;
    const isLongDue = this.#isSpeaking && !this.#isTooShort;
    return Math.min(this.#quietAtMs(), this.#beganMs + LONGEST_MS, isLongDue ? longAtMs : Number.POSITIVE_INFINITY);
  }

  #take(input: AnswererInput, nowMs: number): void {
    switch (input.type) {
      case "speech-started":
        this.#spokeFromMs ??= input.atMs;
        this.#isSpeaking = true;
        return;
      case "speech-paused":
        this.#isSpeaking = false;
        this.#spokeToMs = Math.max(this.#spokeToMs, input.lastVoicedMs);
        return;
      case "words":
        this.#text = input.text;
        return;
      case "beep-started":
        this.#isBeeping = true;
        return;
      case "beep-ended":
        this.#isBeeping = false;
        this.#beepedAtMs = nowMs;
        return;
      case "tick":
        return;
    }
  }

  #decide(nowMs: number, findings: AnswererFinding[]): AnsweredBy | null {
    const answeredBy = this.#answerer(nowMs);
    if (answeredBy !== null) findings.push({ type: "answered-by", answeredBy });
    return answeredBy;
  }

  #answerer(nowMs: number): AnsweredBy | null {
    if (this.#isBeeping || this.#beepedAtMs !== null) return "voicemail";
    if (this.#sign === "machine") return "voicemail";
    if (this.#spokeFromMs !== null && this.#isSpeaking && nowMs >= this.#spokeFromMs + LONG_MS && !this.#isTooShort)
      return "voicemail";
    if (nowMs >= this.#quietAtMs()) return this.#spokeFromMs === null ? "unknown" : "human";
    return nowMs >= this.#beganMs + LONGEST_MS ? "unknown" : null;
  }

  /** Too few words are known for a machine's greeting, or those are known with which a person's ends. */
  get #isTooShort(): boolean {
    return wordsOf(this.#text).length < LONG_WORDS || this.#sign === "closing";
  }

  get #sign(): GreetingSign {
    return judgeGreeting(this.#text, this.#language);
  }

  /** When whoever speaks, or does not, has been silent long enough to be a person. */
  #quietAtMs(): number {
    if (this.#isSpeaking) return Number.POSITIVE_INFINITY;
    if (this.#spokeFromMs === null) return this.#beganMs + SILENT_MS;
    return this.#spokeToMs + pauseAfterMs(this.#spokeToMs - this.#spokeFromMs, this.#sign);
  }

  #recordingAtMs(): number {
    const latestMs = this.#beganMs + LONGEST_GREETING_MS;
    if (this.#isBeeping) return latestMs;
    if (this.#beepedAtMs !== null) return this.#beepedAtMs + AFTER_BEEP_MS;
    return this.#isSpeaking ? latestMs : Math.min(latestMs, this.#spokeToMs + RECORDING_PAUSE_MS);
  }
}

function pauseAfterMs(spokenMs: number, sign: GreetingSign): number {
  if (sign === "closing") return CLOSING_PAUSE_MS;
  if (sign === "greeting" && spokenMs < SHORT_GREETING_MS) return GREETING_PAUSE_MS;
  return pauses.find((pause) => spokenMs < pause.spokenMs)?.pauseMs ?? 0;
}
