import { DETECTION_STEP_MS, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import {
  defaultEndpointOptions,
  type EndpointOptions,
  type EndpointState,
  followSpeech,
  silentEndpoint,
} from "./endpoint.js";
import { quietestPlace, SMOOTHING_STEPS } from "./quietest.js";

/** What one step of a stream led to. Positions are in steps of `DETECTION_STEP_MS` from the stream's start. */
export type SegmenterEvent =
  | { kind: "started" | "ended"; atStep: number }
  /**
   * This stretch is to be recognized as one piece. `continues`: it was cut for its length. What is said ends with one
   * that does not; it may be empty.
   */
  | { kind: "piece"; fromStep: number; toStep: number; continues: boolean };

const steps = (ms: number): number => Math.round(ms / DETECTION_STEP_MS);

/** A piece is cut before it is as long as a piece can be, so that its end can be a good place. */
const LONGEST_STEPS = steps((MAX_AUDIO_SECONDS - 1) * 1000);
/** From this length on, any pause of `PAUSE_STEPS` is good enough to cut at. */
const LONG_STEPS = steps(12_000);
const PAUSE_STEPS = steps(250);
/** A beginning of speech that is not sure by then does not keep what lies before it any longer. */
const LONGEST_ONSET_STEPS = steps(1000);
/** Kept before and after what the detector calls speech. */
const PADDING_STEPS = steps(200);

/**
 * Where a stream of audio is cut into pieces to be recognized, step by step. Pieces are what is said between silences,
 * and silence is in none. A long piece is cut at a pause, and where nobody pauses, at the quietest place in the second
 * half of the longest possible piece.
 *
 * What comes out depends on the levels and on where `cut` is called, and on nothing else: not on when or in what
 * portions they came.
 */
export class Segmenter {
  readonly #endpoint: EndpointOptions;
  #state: EndpointState = silentEndpoint;
  #step = 0;
  #fromStep = 0;
  /** Levels since the open piece's first step. */
  #levels: number[] = [];
  #quietSteps = 0;

  constructor(endpoint: Partial<EndpointOptions> = {}) {
    this.#endpoint = { ...defaultEndpointOptions, ...endpoint };
  }

  /** Steps taken. */
  get stepsTaken(): number {
    return this.#step;
  }

  /** Where the open piece begins, or will at the earliest. What lies before it is in a piece, or silence. */
  get openFromStep(): number {
    return this.#fromStep;
  }

  /** Whether a piece is open: somebody speaks. */
  get isOpen(): boolean {
    return this.#state.speaking;
  }

  /** Takes the level of the next step, 0 (silence) to 255: a detector's answer, or what stands in for it. */
  next(level: number): SegmenterEvent[] {
    this.#step += 1;
    this.#levels.push(level);
    const events = this.#followSpeech(level);
    if (this.isOpen) events.push(...this.#cutLong(level));
    return events;
  }

  /** Ends the open piece here. */
  cut(): SegmenterEvent[] {
    return this.isOpen && this.#step > this.#fromStep ? [this.#piece(this.#step, false)] : [];
  }

  #followSpeech(level: number): SegmenterEvent[] {
    const { state, events } = followSpeech(this.#state, Uint8Array.of(level), this.#endpoint);
    this.#state = state;
    const reported = events.flatMap(({ kind, atMs }): SegmenterEvent[] => {
      const atStep = steps(atMs);
      if (kind === "started") {
        this.#open(Math.max(this.#fromStep, atStep - PADDING_STEPS));
        return [{ kind, atStep }];
      }
      const toStep = Math.max(this.#fromStep, Math.min(this.#step, atStep + PADDING_STEPS));
      return [{ kind, atStep }, this.#piece(toStep, false)];
    });
    // Nothing said so far is kept for longer than a beginning of speech could reach back.
    if (!state.speaking) {
      const onsetStep = Math.max(state.onsetStep ?? this.#step, this.#step - LONGEST_ONSET_STEPS);
      this.#open(Math.max(this.#fromStep, onsetStep - PADDING_STEPS));
    }
    return reported;
  }

  #cutLong(level: number): SegmenterEvent[] {
    this.#quietSteps = level < this.#endpoint.stayThreshold ? this.#quietSteps + 1 : 0;
    const length = this.#step - this.#fromStep;
    if (length >= LONG_STEPS && this.#quietSteps >= PAUSE_STEPS)
      return [this.#piece(this.#step - (PAUSE_STEPS >> 1), true)];
    return length >= LONGEST_STEPS ? [this.#piece(this.#fromStep + this.#quietestStep(), true)] : [];
  }

  #piece(toStep: number, continues: boolean): SegmenterEvent {
    const fromStep = this.#fromStep;
    this.#open(toStep);
    return { kind: "piece", fromStep, toStep, continues };
  }

  #open(fromStep: number): void {
    this.#levels.splice(0, fromStep - this.#fromStep);
    this.#fromStep = fromStep;
    this.#quietSteps = 0;
  }

  /** In the second half of the open piece. */
  #quietestStep(): number {
    const { length } = this.#levels;
    return quietestPlace(this.#levels, length >> 1, length - SMOOTHING_STEPS);
  }
}
