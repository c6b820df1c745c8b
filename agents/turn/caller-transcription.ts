import type { Clock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import { DETECTION_STEP_MS, RECOGNITION_RATE, type RecognizedWord } from "#protocol/transcription/chunk";
import type { RecognitionClient } from "#transcription/recognition/recognition-client";
import { AudioBuffer } from "#transcription/segmentation/audio-buffer";
import { STEP_SAMPLES } from "#transcription/segmentation/vad-windows";
import { SegmentRecognizer } from "#transcription/streaming/segment-recognizer";
import { VadFollower } from "#transcription/streaming/vad-follower";
import { textOf } from "#transcription/transcript";
import type { ActivityEvent } from "./activity.js";
import { AudioClock, LATE_MS } from "./audio-clock.js";
import { EnergyGate } from "./energy-gate.js";
import { OpenSegment } from "./open-segment.js";
import { type ActivityChange, SpeechActivity } from "./speech-activity.js";
import { isUnsure, isUnsurePartial } from "./unsure-words.js";

export interface CallerTranscriptionOptions {
  recognition: Pick<RecognitionClient, "open">;
  /** Model of the task `transcribe`. */
  recognizer: string;
  /** Model of the task `vad`; null goes by level and periodicity alone. */
  detector: string | null;
  /** BCP-47, or null where the recognizer chooses. */
  language: string | null;
  /** W3C trace context, or null. */
  traceparent: string | null;
  clock: Clock;
  /** Starts and pauses in turn, times as the clock's. */
  onActivity(event: ActivityEvent): void;
  /** What has been understood of what is being said; may change. */
  onPartial(text: string, isUnsure: boolean): void;
  /** Words that will not change; those of one turn may come in several. */
  onTranscript(text: string, isUnsure: boolean): void;
  /** Once after each pause that no start follows meanwhile: all that was said before has been given. */
  onTranscribed(): void;
}

/** One caller's audio on its way to activity and words. */
export interface CallerTranscription {
  /** Takes the next audio, at `RECOGNITION_RATE` and in real time, in portions of any size. Calls back. */
  push(samples: Int16Array): void;
  /** Ends all work everywhere; nothing is called back any more. */
  close(): void;
}

const PER_MS = RECOGNITION_RATE / 1000;
/**
 * The detector is asked when so many steps are new: while somebody may be speaking, while something else is heard, and
 * while nothing is.
 */
const BUSY_STEPS = 8;
const IDLE_STEPS = 20;
const QUIET_STEPS = 40;
/** Somebody may be speaking for so long after a voiced frame, and something be heard after an audible one. */
const BUSY_FOR_STEPS = 50;
/** Whether audio is missing is looked at when none has come for this long; after the other time all is known. */
const GAP_MS = LATE_MS + 50;
const LONGEST_GAP_MS = 2000;
/** Before what is known to be speech so much is recognized too, and so much more is held until it is known. */
const PADDING_STEPS = 40;
const HELD_STEPS = 200;

/** Follows a caller's audio. Pass it everything that the room gives. */
export function openCallerTranscription(options: CallerTranscriptionOptions): CallerTranscription {
  return new OpenCallerTranscription(options);
}

class OpenCallerTranscription implements CallerTranscription {
  readonly #options: CallerTranscriptionOptions;
  readonly #buffer = new AudioBuffer();
  readonly #time = new AudioClock();
  readonly #gate = new EnergyGate();
  readonly #activity = new SpeechActivity();
  readonly #recognizer: SegmentRecognizer;
  readonly #vad: VadFollower | null;
  /** What is being said; null in silence. */
  #open: OpenSegment | null = null;
  /** What lies before has been recognized, or nobody spoke. */
  #cutStep = 0;
  #lastVoicedStep = Number.NEGATIVE_INFINITY;
  #lastAudibleStep = Number.NEGATIVE_INFINITY;
  #lastPushMs = 0;
  #cancelGap = (): void => undefined;
  #isClosed = false;

  constructor(options: CallerTranscriptionOptions) {
    this.#options = options;
    const { recognition, recognizer, detector, language, traceparent, clock } = options;
    const common = { recognition, language, traceparent, clock };
    const id = newIdentifier();
    this.#recognizer = new SegmentRecognizer({
      ...common,
      streamId: id,
      recognizer,
      onWords: (words) => this.#give(words),
      onAllRecognized: () => {
        if (this.#open === null) options.onTranscribed();
      },
    });
    this.#vad =
      detector === null
        ? null
        : new VadFollower({
            ...common,
            streamId: `${id}-vad`,
            detector,
            onAnswers: ({ fromStep, answers, finalSteps }) =>
              this.#take(this.#activity.answer(fromStep, answers, finalSteps)),
          });
  }

  push(samples: Int16Array): void {
    if (this.#isClosed) return;
    const nowMs = this.#options.clock.nowMs();
    this.#lastPushMs = nowMs;
    this.#fillGap(nowMs, samples.length / PER_MS);
    this.#append(nowMs, samples);
    this.#watchForGap();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelGap();
    this.#open?.close();
    this.#recognizer.close();
    this.#vad?.close();
  }

  #append(nowMs: number, samples: Int16Array): void {
    this.#time.take(nowMs, samples.length / PER_MS);
    this.#buffer.append(samples);
    for (let step = this.#activity.stepsTaken; (step + 1) * STEP_SAMPLES <= this.#buffer.end; step++) {
      this.#takeFrame(step);
      if (this.#isClosed) return;
    }
    this.#vad?.follow(this.#buffer, this.#askEverySteps());
    const heldStep = this.#open?.fromStep ?? Math.max(this.#cutStep, this.#activity.stepsTaken - HELD_STEPS);
    this.#buffer.purge(Math.min(heldStep * STEP_SAMPLES, this.#vad?.neededFrom ?? Number.POSITIVE_INFINITY));
  }

  /** After how many new steps the detector is asked again. */
  #askEverySteps(): number {
    const since = (step: number): number => this.#activity.stepsTaken - step;
    if (this.#open !== null || since(this.#lastVoicedStep) < BUSY_FOR_STEPS) return BUSY_STEPS;
    return since(this.#lastAudibleStep) < BUSY_FOR_STEPS ? IDLE_STEPS : QUIET_STEPS;
  }

  #takeFrame(step: number): void {
    const frame = this.#gate.next(this.#buffer.view(step * STEP_SAMPLES, (step + 1) * STEP_SAMPLES));
    if (frame.isVoiced) this.#lastVoicedStep = step;
    if (frame.isAudible) this.#lastAudibleStep = step;
    const open = this.#open;
    this.#take(this.#activity.next(frame));
    // One that begins with this frame has it already.
    if (open !== null && this.#open === open) open.next(frame.levelDb, this.#activity.lastSpeechStep);
  }

  #take(change: ActivityChange | null): void {
    if (change === null || this.#isClosed) return;
    const { onActivity, onTranscribed } = this.#options;
    if (change.kind === "started") {
      this.#begin(change.atStep);
      return onActivity({ type: "speech-started", atMs: this.#toNowMs(change.atStep) });
    }
    const open = this.#open;
    this.#open = null;
    onActivity({ type: "speech-paused", lastVoicedMs: this.#toNowMs(change.lastSpeechStep) });
    if (this.#isClosed) return;
    if (!change.isFalseStart) this.#cutStep = open?.commit(change.lastSpeechStep) ?? this.#cutStep;
    else {
      open?.close();
      if (this.#recognizer.waiting === 0) onTranscribed();
    }
  }

  #begin(atStep: number): void {
    const fromStep = Math.max(this.#cutStep, atStep - PADDING_STEPS, Math.ceil(this.#buffer.start / STEP_SAMPLES));
    this.#open = new OpenSegment({
      buffer: this.#buffer,
      recognizer: this.#recognizer,
      fromStep,
      speechStep: atStep,
      toStep: this.#activity.stepsTaken,
      onPartial: (words) => this.#options.onPartial(textOf(words), isUnsurePartial(words)),
    });
  }

  #give(words: readonly RecognizedWord[]): void {
    if (words.length > 0) this.#options.onTranscript(textOf(words), isUnsure(words));
  }

  /** Puts silence where audio is missing before what has just come, of this duration. */
  #fillGap(nowMs: number, durationMs: number): void {
    const missingMs = this.#time.missingMs(nowMs, durationMs);
    if (missingMs > 0) this.#append(nowMs - durationMs, new Int16Array(missingMs * PER_MS));
  }

  #watchForGap(): void {
    this.#cancelGap();
    if (this.#isClosed) return;
    const { clock } = this.#options;
    this.#cancelGap = clock.after(GAP_MS, () => {
      const nowMs = clock.nowMs();
      this.#fillGap(nowMs, 0);
      if (nowMs - this.#lastPushMs < LONGEST_GAP_MS) this.#watchForGap();
    });
  }

  #toNowMs(step: number): number {
    return this.#time.toNowMs(step * DETECTION_STEP_MS);
  }
}
