import { setTimeout as delay } from "node:timers/promises";
import { RtcCaller } from "#test/agents/rtc-caller";
import type { Clip, InterjectionReport, QuestionReport, Step, StepReport } from "./messages.js";
import { AUDIBLE, firstAudibleAtMs, lastAudibleAtMs, silentAtMs } from "./received-audio.js";
import { ASK_FOR_STORY } from "./script.js";

const POLL_MS = 20;
/** An agent that has been silent for so long has finished. */
const FINISHED_MS = 600;
const ANSWER_WITHIN_MS = 8000;
const FINISH_WITHIN_MS = 30_000;
/** A story is told for so long, and up to so much longer, before somebody speaks into it. */
const INTO_STORY_MS = 1200;
const INTO_STORY_SPREAD_MS = 1000;
/** What follows is watched for so long after the end of what was said. */
const WATCH_MS = 4000;
/** An agent that is audible in so much of the end of it goes on speaking. */
const LATE_MS = 1500;
/** Longer than any pause of the story. */
const SILENCE_MS = 400;
/** The agent speaks when somebody begins to: it was audible so shortly before. */
const JUST_AUDIBLE_MS = 60;

export interface BenchCallerOptions {
  url: string;
  token: string;
  clips: readonly Clip[];
  random: () => number;
}

/** A caller that goes through the steps of its task. */
export class BenchCaller {
  readonly #caller: RtcCaller;
  readonly #options: BenchCallerOptions;

  private constructor(caller: RtcCaller, options: BenchCallerOptions) {
    this.#caller = caller;
    this.#options = options;
  }

  /** Joins with an open microphone; resolves when the agent listens. */
  static async join(options: BenchCallerOptions): Promise<BenchCaller> {
    const caller = await RtcCaller.join(options.url, options.token);
    await caller.openMicrophone();
    const joined = new BenchCaller(caller, options);
    try {
      await joined.#until(() => caller.states.at(-1) === "listening", FINISH_WITHIN_MS, "the agent to listen");
    } catch (error) {
      // Its session would last as long as it stays.
      await caller.leave();
      throw error;
    }
    return joined;
  }

  async perform(step: Step): Promise<StepReport> {
    return step.type === "question" ? await this.#ask(step.clip) : await this.#interject(step);
  }

  /** What was received between two times, as one recording. */
  received(fromMs: number, toMs: number): Int16Array {
    const frames = this.#caller.received.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    return Int16Array.from(frames.flatMap(({ samples }) => [...samples]));
  }

  leave(): Promise<void> {
    return this.#caller.leave();
  }

  async #ask(clip: number): Promise<QuestionReport> {
    await this.#untilFinished();
    const said = this.#transcriptsSoFar();
    const { lastVoicedMs } = this.#clip(clip);
    const fromMs = performance.now();
    await this.#speak(clip);
    const lastVoicedAtMs = fromMs + lastVoicedMs;
    const isAnswered = await this.#waitFor(() => this.#lastAudibleMs() > lastVoicedAtMs, ANSWER_WITHIN_MS);
    if (isAnswered) await this.#untilFinished();
    const toMs = performance.now();
    const audibleAtMs = firstAudibleAtMs(this.#caller.received, fromMs);
    const lastAtMs = lastAudibleAtMs(this.#caller.received, fromMs, toMs);
    return {
      type: "question",
      clip,
      lastVoicedAtMs,
      audibleAtMs,
      spanMs: audibleAtMs === null || lastAtMs === null ? 0 : lastAtMs - audibleAtMs,
      understood: this.#textsSince(said, "own").at(-1) ?? "",
      answer: this.#textsSince(said, "agent").join(" "),
    };
  }

  async #interject({ type, clip }: { type: InterjectionReport["type"]; clip: number }): Promise<InterjectionReport> {
    await this.#untilFinished();
    await this.#caller.send({ type: "user.message", text: ASK_FOR_STORY });
    const typedAtMs = performance.now();
    await this.#until(() => this.#lastAudibleMs() > typedAtMs, ANSWER_WITHIN_MS, "the story");
    await delay(INTO_STORY_MS + this.#options.random() * INTO_STORY_SPREAD_MS);
    await this.#waitFor(() => this.#isJustAudible(), SILENCE_MS);
    const said = this.#transcriptsSoFar();
    const wasAudible = this.#isJustAudible();
    const fromMs = performance.now();
    await this.#speak(clip);
    await delay(WATCH_MS);
    const toMs = performance.now();
    const { received } = this.#caller;
    const fellSilentAtMs = silentAtMs(received, fromMs, SILENCE_MS);
    const report: InterjectionReport = {
      type,
      clip,
      silentAfterMs: wasAudible && fellSilentAtMs !== null ? fellSilentAtMs - fromMs : null,
      hasNewReply: this.#textsSince(said, "agent").length > 0,
      isAudibleLate: lastAudibleAtMs(received, toMs - LATE_MS, toMs) !== null,
      understood: this.#textsSince(said, "own").at(-1) ?? "",
    };
    await this.#caller.send({ type: "user.interrupt" });
    return report;
  }

  async #speak(clip: number): Promise<void> {
    const bytes = Buffer.from(this.#clip(clip).pcm, "base64");
    await this.#caller.speak(new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
  }

  #clip(clip: number): Clip {
    const found = this.#options.clips[clip];
    if (found === undefined) throw new RangeError(`there is no clip ${clip}`);
    return found;
  }

  #transcriptsSoFar(): number {
    return this.#caller.transcripts.length;
  }

  /** Texts of segments that began after so many, of the caller's own words or of the agent's. */
  #textsSince(count: number, speaker: "own" | "agent"): string[] {
    const { transcripts, identity } = this.#caller;
    const known = new Set(transcripts.slice(0, count).map(({ segmentId }) => segmentId));
    return transcripts
      .slice(count)
      .filter(({ segmentId }) => !known.has(segmentId))
      .filter((transcript) => (transcript.identity === identity) === (speaker === "own"))
      .map(({ text }) => text)
      .filter((text) => text !== "");
  }

  #lastAudibleMs(): number {
    return this.#caller.received.findLast(({ loudness }) => loudness >= AUDIBLE)?.atMs ?? Number.NEGATIVE_INFINITY;
  }

  #isJustAudible(): boolean {
    return performance.now() - this.#lastAudibleMs() <= JUST_AUDIBLE_MS;
  }

  async #untilFinished(): Promise<void> {
    const isFinished = (): boolean =>
      this.#caller.states.at(-1) === "listening" && performance.now() - this.#lastAudibleMs() >= FINISHED_MS;
    await this.#until(isFinished, FINISH_WITHIN_MS, "the agent to finish");
  }

  async #until(condition: () => boolean, withinMs: number, what: string): Promise<void> {
    if (!(await this.#waitFor(condition, withinMs))) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
  }

  /** Whether the condition came true in time. */
  async #waitFor(condition: () => boolean, withinMs: number): Promise<boolean> {
    const { caller } = { caller: this.#caller };
    const untilMs = performance.now() + withinMs;
    while (!condition()) {
      if (caller.disconnected !== null) throw new Error("the caller was put out of the room");
      if (performance.now() > untilMs) return false;
      await delay(POLL_MS);
    }
    return true;
  }
}
