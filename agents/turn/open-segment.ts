import { MAX_AUDIO_SECONDS, DETECTION_STEP_MS, type RecognizedWord } from "#protocol/transcription/chunk";
import type { AudioBuffer } from "#transcription/segmentation/audio-buffer";
import { quietestPlace, SMOOTHING_STEPS } from "#transcription/segmentation/quietest";
import { STEP_SAMPLES } from "#transcription/segmentation/vad-windows";
import type { Segment, SegmentRecognizer } from "#transcription/streaming/segment-recognizer";
import { textOf } from "#transcription/transcript";

export interface OpenSegmentOptions {
  buffer: AudioBuffer;
  recognizer: SegmentRecognizer;
  /** Where it begins, where speech begins in it, and up to where the audio has been looked at. */
  fromStep: number;
  speechStep: number;
  toStep: number;
  /** Words that may change, other ones each time. */
  onPartial(words: readonly RecognizedWord[]): void;
}

const steps = (ms: number): number => ms / DETECTION_STEP_MS;

/**
 * After so much silence what was said is recognized, though a pause it is only later: if it becomes one, the words are
 * there sooner.
 */
const EAGER_STEPS = steps(160);
/** Speech that ends so shortly before what was recognized eagerly is all in it. */
const SPARE_STEPS = steps(30);
/** Audio is offered for a partial result when so much of it is new, and this share of all of it. */
const PARTIAL_STEPS = steps(250);
const PARTIAL_SHARE = 1 / 4;
/** Who speaks without a pause for this long is recognized up to the quietest place. */
const LONGEST_STEPS = steps((MAX_AUDIO_SECONDS - 10) * 1000);

/** What is being said, from its beginning up to now: recognized in part again and again, and for good when it ends. */
export class OpenSegment {
  readonly #options: OpenSegmentOptions;
  #fromStep: number;
  #nowStep: number;
  /** Of each step, dB of full scale. */
  #levelsDb: number[] = [];
  #eager: { segment: Segment; toStep: number } | null = null;
  #partial: AbortController | null = null;
  #partialStep: number;
  #partialText = "";

  constructor(options: OpenSegmentOptions) {
    this.#options = options;
    this.#fromStep = options.fromStep;
    this.#nowStep = options.toStep;
    this.#partialStep = options.speechStep;
    this.#levelsDb = new Array<number>(options.toStep - options.fromStep).fill(0);
  }

  get fromStep(): number {
    return this.#fromStep;
  }

  /** Goes one step on. `lastSpeechStep`: after which nobody has spoken. */
  next(levelDb: number, lastSpeechStep: number): void {
    this.#nowStep++;
    this.#levelsDb.push(levelDb);
    if (this.#nowStep - this.#fromStep >= LONGEST_STEPS) this.#cutLong();
    if (this.#eager !== null && lastSpeechStep > this.#eager.toStep - SPARE_STEPS) this.#dropEager();
    if (this.#eager === null && this.#nowStep - lastSpeechStep >= EAGER_STEPS) this.#recognizeEagerly();
    if (this.#eager === null) this.#recognizePartial();
  }

  /** It ends, nobody having spoken after `lastSpeechStep`; its words will be given. Where the next may begin. */
  commit(lastSpeechStep: number): number {
    this.#partial?.abort();
    const toStep = this.#eager?.toStep ?? Math.min(this.#nowStep, lastSpeechStep + EAGER_STEPS);
    this.#options.recognizer.commit(this.#eager?.segment ?? this.#begin(toStep));
    return toStep;
  }

  /** It was nothing, or nobody wants it any more. */
  close(): void {
    this.#partial?.abort();
    this.#dropEager();
  }

  #begin(toStep: number): Segment {
    return this.#options.recognizer.begin(this.#samples(toStep), (words) => this.#givePartial(words));
  }

  #recognizeEagerly(): void {
    this.#partial?.abort();
    this.#partial = null;
    this.#partialStep = this.#nowStep;
    this.#eager = { segment: this.#begin(this.#nowStep), toStep: this.#nowStep };
  }

  #dropEager(): void {
    if (this.#eager === null) return;
    this.#options.recognizer.drop(this.#eager.segment);
    this.#eager = null;
  }

  #recognizePartial(): void {
    const length = this.#nowStep - this.#fromStep;
    const fresh = this.#nowStep - this.#partialStep;
    if (this.#partial !== null || fresh < Math.max(PARTIAL_STEPS, length * PARTIAL_SHARE)) return;
    const partial = new AbortController();
    this.#partial = partial;
    this.#partialStep = this.#nowStep;
    void this.#options.recognizer.partial(this.#samples(this.#nowStep), partial.signal).then((words) => {
      if (this.#partial !== partial || partial.signal.aborted) return;
      this.#partial = null;
      this.#givePartial(words ?? []);
    });
  }

  #givePartial(words: readonly RecognizedWord[]): void {
    const text = textOf(words);
    if (text === "" || text === this.#partialText) return;
    this.#partialText = text;
    this.#options.onPartial(words);
  }

  #cutLong(): void {
    this.close();
    this.#partial = null;
    const { length } = this.#levelsDb;
    const toStep = this.#fromStep + quietestPlace(this.#levelsDb, length >> 1, length - SMOOTHING_STEPS);
    const { recognizer } = this.#options;
    recognizer.commit(recognizer.begin(this.#samples(toStep)));
    this.#levelsDb.splice(0, toStep - this.#fromStep);
    this.#fromStep = toStep;
    this.#partialStep = Math.max(this.#partialStep, toStep);
  }

  #samples(toStep: number): Int16Array {
    return this.#options.buffer.view(this.#fromStep * STEP_SAMPLES, toStep * STEP_SAMPLES);
  }
}
