import type { Clock } from "#common/clock";
import { DETECTION_CONTEXT_MS, DETECTION_STEP_MS } from "#protocol/transcription/chunk";
import type { RecognitionClient, RecognitionStream } from "../recognition/recognition-client.js";
import type { AudioBuffer } from "../segmentation/audio-buffer.js";
import { STEP_SAMPLES, windowStart } from "../segmentation/vad-windows.js";

/** Answers of a detector, 0 to 255 for each step from `fromStep` on. The first `finalSteps` will not change. */
export interface VadAnswers {
  fromStep: number;
  answers: Uint8Array;
  finalSteps: number;
}

export interface VadFollowerOptions {
  recognition: Pick<RecognitionClient, "open">;
  /** Unique in the cluster. */
  streamId: string;
  /** A model of the task `vad`. */
  detector: string;
  language: string | null;
  traceparent: string | null;
  clock: Clock;
  /** Never called from inside `follow`. */
  onAnswers(answers: VadAnswers): void;
}

/** Steps after its own that an answer may depend on. */
const FUTURE_STEPS = DETECTION_CONTEXT_MS.future / DETECTION_STEP_MS;
/**
 * An answer with so much audio after it is given, though it may still change: measured, a few of a hundred do
 * (bench/turn).
 */
export const PROVISIONAL_STEPS = 10;
/** Of audio that nobody could be asked about, the latest is asked about. */
const MOST_BEHIND_STEPS = 150;
const SLACK_MS = 50;
const REOPEN_MS = 1000;

/**
 * Asks the detector about audio as it comes: again and again about the latest of it, so that its answers come before
 * all that they may depend on is there. After a failure it asks again a second later, and leaves out what has become
 * old.
 */
export class VadFollower {
  readonly #options: VadFollowerOptions;
  #stream: RecognitionStream;
  #opened = 1;
  /** Answers before are final. */
  #finalStep = 0;
  /** Answers up to here have been asked for. */
  #askedStep = 0;
  #state: "idle" | "asking" | "failed" | "closed" = "idle";
  #cancelReopening = (): void => undefined;

  constructor(options: VadFollowerOptions) {
    this.#options = options;
    this.#stream = this.#open();
  }

  /** The first sample that may still be needed. */
  get neededFrom(): number {
    return windowStart(this.#finalStep);
  }

  /** Asks about what the buffer holds by now, where so many steps are new and no answer is awaited. */
  follow(buffer: AudioBuffer, everySteps: number): void {
    if (this.#state !== "idle") return;
    const endStep = Math.floor(buffer.end / STEP_SAMPLES);
    if (endStep - this.#askedStep < everySteps) return;
    this.#finalStep = Math.max(this.#finalStep, endStep - MOST_BEHIND_STEPS);
    this.#askedStep = endStep;
    const fromStep = this.#finalStep;
    const startSample = Math.max(buffer.start, windowStart(fromStep));
    const samples = buffer.view(startSample, endStep * STEP_SAMPLES);
    const answer = (answers: Uint8Array): void => this.#answered(fromStep, endStep, answers);
    if (samples.every((sample) => sample === 0)) {
      // A muted microphone: nobody needs to be asked.
      this.#state = "asking";
      void Promise.resolve(new Uint8Array(endStep - fromStep)).then(answer);
    } else this.#ask(samples, (speech) => answer(speech.subarray(fromStep - startSample / STEP_SAMPLES)));
  }

  close(): void {
    this.#state = "closed";
    this.#cancelReopening();
    this.#stream.close();
  }

  #ask(samples: Int16Array, answer: (speech: Uint8Array) => void): void {
    this.#state = "asking";
    this.#stream.recognize(samples, { slackMs: SLACK_MS }).then(
      (output) => {
        if (output.task === "vad") answer(output.speech);
      },
      () => this.#reopenLater(),
    );
  }

  #answered(fromStep: number, endStep: number, answers: Uint8Array): void {
    if (this.#state === "closed") return;
    this.#state = "idle";
    this.#finalStep = Math.max(this.#finalStep, endStep - FUTURE_STEPS);
    const given = answers.slice(0, Math.max(0, endStep - PROVISIONAL_STEPS - fromStep));
    const finalSteps = Math.min(given.length, this.#finalStep - fromStep);
    if (given.length > 0) this.#options.onAnswers({ fromStep, answers: given, finalSteps });
  }

  #reopenLater(): void {
    if (this.#state === "closed") return;
    this.#state = "failed";
    this.#stream.close();
    this.#cancelReopening = this.#options.clock.after(REOPEN_MS, () => {
      this.#stream = this.#open();
      this.#state = "idle";
    });
  }

  #open(): RecognitionStream {
    const { recognition, streamId, detector, language, traceparent } = this.#options;
    return recognition.open({
      streamId: `${streamId}-${this.#opened++}`,
      task: "vad",
      model: detector,
      tier: "live",
      language,
      traceparent,
    });
  }
}
