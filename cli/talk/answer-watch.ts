import type { Clock } from "#common/clock";

/** A line that nothing follows by then has no answer. */
const MAX_WAIT_MS = 20_000;

/** An answer is over when nothing has come for so long: state and text come on ways of their own. */
const SETTLE_MS = 300;

/** Says when the agent has answered and listens again, which is when the next line of a script may be sent. */
export class AnswerWatch {
  readonly #clock: Clock;
  #state = "initializing";
  #openUtterances = 0;
  #isAwaiting = false;
  #isQuiet = false;
  #isOver = false;
  #cancelTimer: () => void = () => undefined;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A line was sent. */
  asked(): void {
    this.#isAwaiting = true;
    this.#look();
  }

  /** The agent shows another state (`lk.agent.state`). */
  stateChanged(state: string): void {
    this.#state = state;
    // It listens when it is asked, and before it begins to answer.
    if (state === "thinking" || state === "speaking") this.#isAwaiting = false;
    this.#look();
  }

  /** The text of something that the agent says has begun, or is whole. */
  utteranceChanged(change: "begun" | "whole"): void {
    this.#openUtterances += change === "begun" ? 1 : -1;
    this.#isAwaiting = false;
    this.#look();
  }

  /** The conversation is over: nobody waits any longer. */
  end(): void {
    this.#isOver = true;
    this.#cancelTimer();
    this.#release();
  }

  /** Resolves when the agent has answered what it was sent last, or greeted, and listens; or when all is over. */
  quiet(): Promise<void> {
    if (this.#isOver || this.#isQuiet) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Something has changed. */
  #look(): void {
    this.#cancelTimer();
    this.#isQuiet = false;
    if (this.#isOver || this.#openUtterances > 0) return;
    if (this.#isAwaiting) {
      this.#cancelTimer = this.#clock.after(MAX_WAIT_MS, () => {
        this.#isAwaiting = false;
        this.#look();
      });
    } else if (this.#state === "listening") {
      this.#cancelTimer = this.#clock.after(SETTLE_MS, () => {
        this.#isQuiet = true;
        this.#release();
      });
    }
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
