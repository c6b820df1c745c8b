import type { Clock } from "#common/clock";
import { deferred } from "#common/deferred";
import { confirmationOf, confirmationWordsOf } from "./confirmation-words.js";
import type { Leg } from "./leg.js";

/** What became of the question whether somebody takes a caller; `left`: they hung up over it. */
export type Confirmation = "accepted" | "declined" | "unanswered" | "left";

export interface ConfirmationOptions {
  leg: Leg;
  clock: Clock;
  language: string;
  /** Who calls and what they want; may be empty. */
  summary: string;
  /** Says something on the leg; resolves when it was heard, or cannot be. */
  say(text: string, signal: AbortSignal): Promise<void>;
  /** Gives words for what is said on the leg. */
  listen(onWords: (text: string) => void): { push(samples: Int16Array): void; close(): void };
  signal: AbortSignal;
}

/** How long an answer is waited for after the question, and how often it is asked. */
const ANSWER_MS = 8000;
const QUESTIONS = 2;

/** Asks whoever answered whether they take the caller: by key or by word, also in the middle of the question. */
export async function confirm(options: ConfirmationOptions): Promise<Confirmation> {
  const { leg, clock, language, summary, signal } = options;
  const { announcement, question } = confirmationWordsOf(language);
  const answered = deferred<Confirmation>();
  const over = new AbortController();
  const listening = options.listen((text) => {
    const meaning = confirmationOf(text, language);
    if (meaning !== null) answered.resolve(meaning);
  });
  leg.onAudio = (samples) => listening.push(samples);
  leg.onKey = (key) => {
    if (key === "1") answered.resolve("accepted");
    if (key === "2") answered.resolve("declined");
  };
  void leg.left.then(() => answered.resolve("left"));
  const abort = (): void => answered.resolve("left");
  signal.addEventListener("abort", abort);
  void ask(over.signal);
  const answer = await answered.promise;
  over.abort();
  listening.close();
  signal.removeEventListener("abort", abort);
  leg.onAudio = () => undefined;
  leg.onKey = () => undefined;
  leg.voice.clear();
  return signal.aborted ? "left" : answer;

  async function ask(until: AbortSignal): Promise<void> {
    await options.say([announcement, summary, question].filter((text) => text !== "").join(" "), until);
    for (let asked = 1; !until.aborted; asked++) {
      await new Promise<void>((resolve) => void clock.after(ANSWER_MS, resolve));
      if (asked === QUESTIONS) return answered.resolve("unanswered");
      if (!until.aborted) await options.say(question, until);
    }
  }
}
