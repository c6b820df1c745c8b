import { DETECTION_STEP_MS } from "#protocol/transcription/chunk";
import { defaultEndpointOptions } from "#transcription/segmentation/endpoint";
import type { GateFrame } from "./energy-gate.js";

/** What has become known of the caller's voice. Positions are in steps of 10 ms from the beginning of the audio. */
export type ActivityChange =
  /** Somebody speaks, since this step. */
  | { kind: "started"; atStep: number }
  /** Nobody has spoken since this step. `isFalseStart`: nobody has at all; the gate was wrong. */
  | { kind: "paused"; lastSpeechStep: number; isFalseStart: boolean };

const steps = (ms: number): number => ms / DETECTION_STEP_MS;

/** So much silence is a pause. Sounds of one word are not further apart. */
export const PAUSE_STEPS = steps(200);
/** Frames that make the gate sure: a start lies before by so much. */
const SURE_STEPS = 5;
/**
 * A start is taken back after so much silence: the detector knows no lone "s", which the gate does. In "stop" a silence
 * follows it, then the vowel, for which the detector's answer may be late.
 */
const TAKEN_BACK_STEPS = steps(300);
/** Speech of this length by the detector's answers alone is a start; with a few voiced frames, less is. */
const UNVOICED_START_STEPS = steps(120);
const VOICED_START_STEPS = steps(60);
const VOICED_FRAMES = 3;
/** After a pause a start needs frames that were not looked at when the pause was found, but for so many. */
const LOOK_BACK_STEPS = steps(80);
/** The gate is wrong where the detector finds no speech from so much before to so much after. */
const WRONG_BEFORE_STEPS = steps(120);
const WRONG_AFTER_STEPS = steps(100);
/** What the gate was wrong about has to be so much louder to be believed again, less by so much a step. */
const DISTRUST_DB = 3;
const DISTRUST_FALL_DB = 0.01;
/**
 * A pause is one when the detector, too, finds so much silence at its beginning: the gate does not know every sound of
 * speech. A detector that is so late is not waited for…
 */
const CONFIRMED_STEPS = steps(60);
const LATE_STEPS = steps(400);
/** …and what it has not said anything about by then, the gate has decided. */
const LONGEST_TAIL_STEPS = steps(1500);
/** Frames before the tail that are still looked at. */
const PAST_STEPS = WRONG_AFTER_STEPS + 1;

/** What follows from all steps up to one. */
interface Progress {
  /** Whether the last step was speech, or too little has come since to say that it has ended. */
  isSpeaking: boolean;
  /** Of what is being said: its first step, and the step after its last. */
  fromStep: number;
  endStep: number;
  /** What speaks for it: steps by the detector, voiced frames, and whether the gate is sure. */
  speechSteps: number;
  voicedFrames: number;
  isSure: boolean;
  /** The step after the last that the detector has answered, and answers in a row in which it found nothing. */
  answeredStep: number;
  silentSteps: number;
  /** The gate is believed above this level only. */
  distrustDb: number;
}

interface Step {
  frame: GateFrame;
  /** The detector's answer, 0 to 255; null while there is none. */
  answer: number | null;
}

/**
 * Joins what the gate says at once with what the detector says a moment later. Where the detector has answered, it
 * decides; after that, the gate. Starts and pauses alternate, and depend on frames and answers alone.
 */
export class SpeechActivity {
  /** Steps from `#fromStep` on; those before `#finalStep` will not change. */
  readonly #steps: Step[] = [];
  #fromStep = 0;
  #finalStep = 0;
  /** What follows from the steps before `#finalStep`. */
  #settled: Progress = {
    isSpeaking: false,
    fromStep: 0,
    endStep: Number.NEGATIVE_INFINITY,
    speechSteps: 0,
    voicedFrames: 0,
    isSure: false,
    answeredStep: Number.NEGATIVE_INFINITY,
    silentSteps: 0,
    distrustDb: Number.NEGATIVE_INFINITY,
  };
  /** What follows from all steps before `#followedStep`; null where it is to be found out from `#settled` again. */
  #latest: Progress | null = null;
  #followedStep = 0;
  /** Steps before do not speak for a start: they belong to what was said before the last pause. */
  #evidenceFromStep = 0;
  #startedAtStep: number | null = null;
  #pausedAtStep = 0;
  /** The step after the last in which somebody spoke, as far as is known. */
  #lastSpeechStep = 0;

  /** Whether a start was the last that was found. */
  get isSpeaking(): boolean {
    return this.#startedAtStep !== null;
  }

  /** Where what is being said began, as far as is known by now. */
  get startStep(): number | null {
    return this.#startedAtStep;
  }

  /** The step after the last in which somebody spoke, as far as is known by now. */
  get lastSpeechStep(): number {
    return this.#lastSpeechStep;
  }

  /** Frames taken. */
  get stepsTaken(): number {
    return this.#fromStep + this.#steps.length;
  }

  /** Takes the gate's next frame. */
  next(frame: GateFrame): ActivityChange | null {
    this.#steps.push({ frame, answer: null });
    if (this.stepsTaken - this.#finalStep > LONGEST_TAIL_STEPS) this.#settle(this.#finalStep + 1);
    return this.#find();
  }

  /**
   * Takes the detector's answers from a step on, of which the first `finalSteps` will not change. Answers for steps
   * that were decided without, or that have not come yet, are left out.
   */
  answer(fromStep: number, answers: Uint8Array, finalSteps: number): ActivityChange | null {
    const from = Math.max(fromStep, this.#finalStep);
    const to = Math.min(fromStep + answers.length, this.stepsTaken);
    for (let step = from; step < to; step++)
      (this.#steps[step - this.#fromStep] as Step).answer = answers[step - fromStep] as number;
    this.#latest = null;
    this.#settle(Math.min(to, fromStep + finalSteps));
    return this.#find();
  }

  #settle(toStep: number): void {
    for (; this.#finalStep < toStep; this.#finalStep++) this.#follow(this.#settled, this.#finalStep);
    const forgotten = this.#finalStep - PAST_STEPS - this.#fromStep;
    if (forgotten <= 0) return;
    this.#steps.splice(0, forgotten);
    this.#fromStep += forgotten;
  }

  #find(): ActivityChange | null {
    const nowStep = this.stepsTaken;
    const progress = this.#latest ?? { ...this.#settled };
    if (this.#latest === null) this.#followedStep = this.#finalStep;
    this.#latest = progress;
    for (; this.#followedStep < nowStep; this.#followedStep++) this.#follow(progress, this.#followedStep);
    const isQuiet = nowStep - progress.endStep >= PAUSE_STEPS;
    if (this.#startedAtStep === null) return isQuiet || !isStart(progress) ? null : this.#start(progress);
    const isFalseStart = progress.endStep <= this.#startedAtStep;
    if (isFalseStart && nowStep - this.#lastSpeechStep < TAKEN_BACK_STEPS) return null;
    if (isQuiet && isConfirmed(progress, nowStep)) return this.#pause(progress, isFalseStart);
    this.#lastSpeechStep = Math.max(this.#startedAtStep, progress.endStep);
    return null;
  }

  #start({ fromStep, endStep }: Progress): ActivityChange {
    this.#startedAtStep = Math.max(0, fromStep, this.#pausedAtStep);
    this.#lastSpeechStep = endStep;
    return { kind: "started", atStep: this.#startedAtStep };
  }

  #pause({ endStep }: Progress, isFalseStart: boolean): ActivityChange {
    const startedAtStep = this.#startedAtStep ?? 0;
    this.#startedAtStep = null;
    this.#lastSpeechStep = Math.max(startedAtStep, endStep);
    this.#pausedAtStep = this.#lastSpeechStep;
    this.#evidenceFromStep = this.stepsTaken - LOOK_BACK_STEPS;
    Object.assign(this.#settled, noEvidence);
    this.#latest = null;
    return { kind: "paused", lastSpeechStep: this.#lastSpeechStep, isFalseStart };
  }

  /** Goes one step on. */
  #follow(progress: Progress, step: number): void {
    const { frame, answer } = this.#steps[step - this.#fromStep] as Step;
    progress.distrustDb -= DISTRUST_FALL_DB;
    const isSpeech = answer === null ? gateFindsSpeech(progress, frame) : detectorFindsSpeech(progress, answer);
    if (answer !== null) this.#distrust(progress, step, answer);
    if (isSpeech) this.#addSpeech(progress, step);
    else progress.isSpeaking &&= answer === null && step - progress.endStep < PAUSE_STEPS;
  }

  #distrust(progress: Progress, step: number, answer: number): void {
    progress.answeredStep = step + 1;
    progress.silentSteps = answer < defaultEndpointOptions.stayThreshold ? progress.silentSteps + 1 : 0;
    const wrong = this.#steps[step - WRONG_AFTER_STEPS - this.#fromStep]?.frame;
    if (wrong?.isSure === true && progress.silentSteps > WRONG_AFTER_STEPS + WRONG_BEFORE_STEPS)
      progress.distrustDb = Math.max(progress.distrustDb, wrong.levelDb + DISTRUST_DB);
  }

  #addSpeech(progress: Progress, step: number): void {
    const { frame, answer } = this.#steps[step - this.#fromStep] as Step;
    const isByGate = answer === null && frame.isSure;
    if (step - progress.endStep >= PAUSE_STEPS)
      Object.assign(progress, noEvidence, { fromStep: isByGate ? step - SURE_STEPS : step });
    progress.isSpeaking = true;
    progress.endStep = step + 1;
    if (step < this.#evidenceFromStep) return;
    if (answer !== null) progress.speechSteps++;
    if (frame.isVoiced) progress.voicedFrames++;
    progress.isSure ||= isByGate;
  }
}

const noEvidence = { speechSteps: 0, voicedFrames: 0, isSure: false };

function isStart({ speechSteps, voicedFrames, isSure }: Progress): boolean {
  if (isSure || speechSteps >= UNVOICED_START_STEPS) return true;
  return speechSteps >= VOICED_START_STEPS && voicedFrames >= VOICED_FRAMES;
}

function isConfirmed({ answeredStep, endStep }: Progress, nowStep: number): boolean {
  return answeredStep >= endStep + CONFIRMED_STEPS || nowStep - answeredStep > LATE_STEPS;
}

function gateFindsSpeech({ isSpeaking, distrustDb }: Progress, { levelDb, isSure, isSpeech }: GateFrame): boolean {
  return levelDb > distrustDb && (isSure || (isSpeaking && isSpeech));
}

function detectorFindsSpeech({ isSpeaking }: Progress, answer: number): boolean {
  const { startThreshold, stayThreshold } = defaultEndpointOptions;
  return answer >= (isSpeaking ? stayThreshold : startThreshold);
}
