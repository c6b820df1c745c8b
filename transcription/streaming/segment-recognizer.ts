import type { Clock } from "#common/clock";
import { ServiceError } from "#protocol/errors";
import { type RecognizedWord, RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { RecognitionClient, RecognitionStream } from "../recognition/recognition-client.js";

export interface SegmentRecognizerOptions {
  recognition: Pick<RecognitionClient, "open">;
  /** Unique in the cluster. */
  streamId: string;
  recognizer: string;
  language: string | null;
  traceparent: string | null;
  clock: Clock;
  /** Called with the words of each segment that was committed, in the order of `commit`. Their times count from its start. */
  onWords(words: readonly RecognizedWord[]): void;
  /** Called after the words of the last segment that was committed. */
  onAllRecognized(): void;
}

/** A stretch of audio that is being recognized, and may or may not be wanted in the end. */
export interface Segment {
  readonly samples: Int16Array;
  /** Null until it is recognized. */
  words: readonly RecognizedWord[] | null;
  isCommitted: boolean;
  /** Fires when it is dropped. */
  readonly unwanted: AbortController;
  /** Whom it was given to; null while the recognizer is away. */
  askedOf: RecognitionStream | null;
  /** How often the recognizer broke on it. */
  failures: number;
}

/** How soon words are wanted. */
const SLACK_MS = 100;
const PARTIAL_SLACK_MS = 300;
/** A recognizer that failed is asked again after this time… */
const REOPEN_MS = 1000;
/** …but not for what it breaks on every time… */
const MOST_FAILURES = 3;
/** …and for the latest segments, of so much audio together. Older ones are given up: nobody waits for their words any more. */
const MOST_WAITING_SAMPLES = 30 * RECOGNITION_RATE;

/**
 * Recognizes segments of a conversation: tentatively, before it is known where somebody pauses, and for good. When the
 * recognizer fails, the segments wait and are recognized as soon as it works again.
 */
export class SegmentRecognizer {
  readonly #options: SegmentRecognizerOptions;
  readonly #committed: Segment[] = [];
  #stream: RecognitionStream | null;
  #opened = 1;
  #isClosed = false;
  #cancelReopening = (): void => undefined;

  constructor(options: SegmentRecognizerOptions) {
    this.#options = options;
    this.#stream = this.#open();
  }

  /** Segments that are committed and whose words have not been given. */
  get waiting(): number {
    return this.#committed.length;
  }

  /**
   * Begins to recognize what may turn out to be a segment. `onWords` has its words if they come before that is known.
   */
  begin(samples: Int16Array, onWords: (words: readonly RecognizedWord[]) => void = () => undefined): Segment {
    const unwanted = new AbortController();
    const segment: Segment = { samples, words: null, isCommitted: false, unwanted, askedOf: null, failures: 0 };
    this.#recognize(segment, onWords);
    return segment;
  }

  /** It is a segment: its words will be given, in turn. */
  commit(segment: Segment): void {
    if (this.#isClosed) return;
    segment.isCommitted = true;
    this.#committed.push(segment);
    this.#giveUpOld();
    if (segment.words === null && segment.askedOf !== this.#stream) this.#recognize(segment);
    this.#give();
  }

  /** It is none. */
  drop(segment: Segment): void {
    segment.unwanted.abort();
  }

  /** Words of a segment that is not over, once. `null` where they cannot be had. */
  async partial(samples: Int16Array, signal: AbortSignal): Promise<readonly RecognizedWord[] | null> {
    if (this.#stream === null) return null;
    try {
      const output = await this.#stream.recognize(samples, { slackMs: PARTIAL_SLACK_MS, signal });
      return output.task === "transcribe" ? output.words : null;
    } catch {
      return null; // superseded, or failed: then the segment itself will fail, and be asked for again
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelReopening();
    this.#stream?.close();
    this.#committed.length = 0;
  }

  #recognize(segment: Segment, onWords: (words: readonly RecognizedWord[]) => void = () => undefined): void {
    const stream = this.#stream;
    const { signal } = segment.unwanted;
    segment.askedOf = stream;
    stream?.recognize(segment.samples, { slackMs: SLACK_MS, signal }).then(
      (output) => {
        if (output.task !== "transcribe" || this.#isClosed || signal.aborted) return;
        segment.words = output.words;
        if (segment.isCommitted) this.#give();
        else onWords(output.words);
      },
      (error: unknown) => {
        if (signal.aborted || this.#stream !== stream) return;
        if (error instanceof ServiceError && error.code === "engine_failed") segment.failures++;
        if (segment.failures === MOST_FAILURES) segment.words = [];
        this.#reopenLater();
        this.#give();
      },
    );
  }

  #give(): void {
    if (this.#isClosed || this.#committed.length === 0) return;
    for (let first = this.#committed[0]; first !== undefined && first.words !== null; first = this.#committed[0]) {
      this.#committed.shift();
      this.#options.onWords(first.words);
    }
    if (this.#committed.length === 0) this.#options.onAllRecognized();
  }

  #giveUpOld(): void {
    const samples = (): number => this.#committed.reduce((sum, segment) => sum + segment.samples.length, 0);
    while (this.#committed.length > 1 && samples() > MOST_WAITING_SAMPLES) this.#committed.shift()?.unwanted.abort();
  }

  #reopenLater(): void {
    if (this.#isClosed) return;
    this.#stream?.close();
    this.#stream = null;
    this.#cancelReopening = this.#options.clock.after(REOPEN_MS, () => {
      this.#stream = this.#open();
      for (const segment of this.#committed) if (segment.words === null) this.#recognize(segment);
    });
  }

  #open(): RecognitionStream {
    const { recognition, streamId, recognizer, language, traceparent } = this.#options;
    return recognition.open({
      streamId: `${streamId}-${this.#opened++}`,
      task: "transcribe",
      model: recognizer,
      tier: "live",
      language,
      traceparent,
    });
  }
}
