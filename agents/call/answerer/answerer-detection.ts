import type { Clock } from "#common/clock";
import { joined } from "../../dialogue/language/words.js";
import type { ActivityEvent } from "../../turn/activity.js";
import { AnswererDetector, type AnswererFinding, type AnswererInput } from "./answerer-detector.js";
import { BeepDetector } from "./beep-detector.js";

export interface AnswererDetectionOptions {
  clock: Clock;
  /** BCP-47 primary subtag. */
  language: string;
  onFinding(finding: AnswererFinding): void;
}

/** Follows the audio of a call from its answer on, and what recognition makes of it, until it is clear who answered. */
export class AnswererDetection {
  readonly #options: AnswererDetectionOptions;
  /** Null before the call is answered. */
  #detector: AnswererDetector | null = null;
  readonly #beeps = new BeepDetector();
  #words = "";
  #partial = "";
  #isClosed = false;
  #cancelWake: () => void = () => undefined;

  constructor(options: AnswererDetectionOptions) {
    this.#options = options;
  }

  /** The call was answered now. */
  begin(): void {
    if (this.#detector !== null || this.#isClosed) return;
    const { language, clock } = this.#options;
    this.#detector = new AnswererDetector({ language, nowMs: clock.nowMs() });
    this.#scheduleWake();
  }

  /** Takes the next audio at `RECOGNITION_RATE`. */
  push(samples: Int16Array): void {
    if (this.#isIdle) return;
    for (const change of this.#beeps.push(samples))
      this.#input({ type: change === "started" ? "beep-started" : "beep-ended" });
  }

  activity(event: ActivityEvent): void {
    this.#input(event);
  }

  /** Words that may change. */
  partial(text: string): void {
    this.#partial = text.trim();
    this.#wordsCame();
  }

  /** Words that will not change. */
  transcript(text: string): void {
    this.#words += joined(this.#words, text.trim());
    this.#partial = "";
    this.#wordsCame();
  }

  /** Finds nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#cancelWake();
  }

  get #isIdle(): boolean {
    return this.#isClosed || this.#detector === null || this.#detector.isOver;
  }

  #wordsCame(): void {
    this.#input({ type: "words", text: this.#words + joined(this.#words, this.#partial) });
  }

  #input(input: AnswererInput): void {
    if (this.#detector === null || this.#isIdle) return;
    const findings = this.#detector.input(input, this.#options.clock.nowMs());
    this.#scheduleWake();
    for (const finding of findings) this.#options.onFinding(finding);
  }

  #scheduleWake(): void {
    const { clock } = this.#options;
    this.#cancelWake();
    const wakeMs = this.#isIdle ? null : this.#detector?.nextWakeMs();
    if (wakeMs == null) return;
    this.#cancelWake = clock.after(Math.max(0, wakeMs - clock.nowMs()), () => this.#input({ type: "tick" }));
  }
}
