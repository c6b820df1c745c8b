import { ServiceError } from "#protocol/errors";
import {
  DETECTION_STEP_MS,
  type RecognizedWord,
  RECOGNITION_RATE,
  MAX_AUDIO_SECONDS,
} from "#protocol/transcription/chunk";
import type { ServiceTier } from "#protocol/bus/scheduling";
import type { EndpointOptions } from "../segmentation/endpoint.js";
import { type SegmenterEvent, Segmenter } from "../segmentation/segmenter.js";
import type { RecognitionOutput, RecognitionClient, RecognitionStream } from "../recognition/recognition-client.js";
import { AudioBuffer } from "../segmentation/audio-buffer.js";
import { loudnessAsSpeech } from "../segmentation/loudness.js";
import { windowAnswers, nextWindow, STEP_SAMPLES, windowStart } from "../segmentation/vad-windows.js";

/** What is said between `startMs` and `endMs` of the session; words carry the session's times too. */
export interface Utterance {
  text: string;
  words: RecognizedWord[];
  startMs: number;
  endMs: number;
  language: string;
}

/** What a session tells, in order. After `ended` or `failed` nothing follows. */
export type SessionEvent =
  | { type: "speech-started" | "speech-ended"; atMs: number }
  /** What has been understood of the piece that is being said. May change until it is committed. */
  | ({ type: "partial" } & Utterance)
  /**
   * Final. `continues`: the piece was cut for its length, in the middle of what is said. Every `speech-ended` is
   * followed by one that does not continue; it is empty when there was nothing left to cut off.
   */
  | ({ type: "committed"; continues: boolean } & Utterance)
  /** Everything was committed after `end`. */
  | { type: "ended" }
  | { type: "failed"; error: ServiceError };

export interface SessionOptions {
  recognition: Pick<RecognitionClient, "open">;
  /** Unique in the cluster. */
  sessionId: string;
  recognizer: string;
  /** Model of the task `vad`; null takes for speech whatever is not silent. */
  detector: string | null;
  language: string | null;
  /** Words that the caller expects. */
  keyterms?: readonly string[] | undefined;
  traceparent: string | null;
  /** `live` when absent: somebody waits for the words. */
  tier?: ServiceTier;
  /** When speech starts and ends; the defaults are those of a conversation. */
  endpoint?: Partial<EndpointOptions>;
  /** Whether `partial` events are wanted: each costs another recognition of what was said so far. */
  partials: boolean;
  /** Called in order, never from inside another call of it. */
  onEvent: (event: SessionEvent) => void;
}

/** Audio is offered to the recognizer again for a partial result when this much of it is new. */
const PARTIAL_EVERY_SAMPLES = 0.3 * RECOGNITION_RATE;
/** …and this part of the piece, so that a long piece is not recognized dozens of times. */
const PARTIAL_EVERY_SHARE = 1 / 8;
/** Audio is offered to the detector when so many steps of it are new. */
const DETECT_EVERY_STEPS = 20;
const MAX_PIECE_SAMPLES = MAX_AUDIO_SECONDS * RECOGNITION_RATE;

/** How soon results are wanted. */
const DETECTION_SLACK_MS = 100;
const COMMIT_SLACK_MS = 200;
const PARTIAL_SLACK_MS = 400;

/** Whoever pushes should wait for `room` while this much is not committed… */
const ROOMY_SECONDS = 60;
/** …and a session whose caller does not is ended. */
const MOST_WAITING_SECONDS = 300;

interface Piece {
  fromSample: number;
  toSample: number;
  continues: boolean;
  recognized: RecognitionOutput | null;
}

/**
 * A streaming recognizer on the bus: audio in, utterances out while they are said. Time is that of the audio alone; the
 * same audio with the same commits gives the same committed utterances, however it was portioned and whatever died
 * meanwhile. Every sample in which somebody speaks is in exactly one committed piece.
 */
export class TranscriptionSession {
  readonly #options: SessionOptions;
  readonly #recognition: RecognitionStream;
  readonly #vad: RecognitionStream | null;
  readonly #buffer = new AudioBuffer();
  readonly #cutter: Segmenter;
  /** Positions up to which `commit` was called and that the cutter has not reached. */
  readonly #marks: number[] = [];
  readonly #pieces: Piece[] = [];
  readonly #events: SessionEvent[] = [];
  #delivering = false;
  #detectedSteps = 0;
  #detecting = false;
  #partial: AbortController | null = null;
  #partialEnd = 0;
  /** What lies before is in a piece, or silence. */
  #openFrom = 0;
  #ended = false;
  #over = false;
  #roomWaiters: (() => void)[] = [];

  constructor(options: SessionOptions) {
    const { recognition, sessionId, recognizer, detector, language, keyterms, traceparent, tier = "live" } = options;
    const common = { tier, language, traceparent };
    this.#options = options;
    this.#recognition = recognition.open({
      ...common,
      streamId: sessionId,
      task: "transcribe",
      model: recognizer,
      ...(keyterms === undefined ? {} : { keyterms }),
    });
    this.#vad =
      detector === null
        ? null
        : recognition.open({ ...common, streamId: `${sessionId}-detect`, task: "vad", model: detector });
    this.#cutter = new Segmenter(options.endpoint);
  }

  /** Audio that is neither committed nor known to be silence. */
  get waitingMs(): number {
    const recognizedTo = this.#pieces[0]?.fromSample ?? this.#openFrom;
    return toMs(this.#buffer.end - Math.min(recognizedTo, this.#detectedSteps * STEP_SAMPLES));
  }

  /** Takes the next audio, in portions of any size, at `RECOGNITION_RATE`. Ignored after the end. */
  push(samples: Int16Array): void {
    if (this.#over || this.#ended) return;
    this.#buffer.append(samples);
    if (this.waitingMs > MOST_WAITING_SECONDS * 1000) {
      return this.#fail(new ServiceError("audio_buffer_full", { parameters: { limitSeconds: MOST_WAITING_SECONDS } }));
    }
    this.#advance();
  }

  /** Commits what was pushed so far, as soon as the detector has come as far. */
  commit(): void {
    if (this.#over || this.#ended) return;
    this.#marks.push(this.#buffer.end);
    this.#advance();
  }

  /** No more audio: what is left is committed; `ended` follows. */
  end(): void {
    if (this.#over || this.#ended) return;
    this.#ended = true;
    this.#marks.push(this.#buffer.end);
    this.#advance();
  }

  /** Resolves when so little audio waits that more may be pushed, or when the session is over. */
  room(): Promise<void> {
    if (this.#over || this.waitingMs <= ROOMY_SECONDS * 1000) return Promise.resolve();
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  /** Ends all work everywhere; no event follows. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#recognition.close();
    this.#vad?.close();
    this.#events.length = 0;
    this.#letIn();
  }

  #advance(): void {
    this.#passMarks();
    this.#detectMore();
    this.#recognizePartial();
    this.#buffer.purge(Math.min(this.#openFrom, windowStart(this.#detectedSteps)));
    this.#commitRecognized();
    this.#letIn();
    this.#finishIfDone();
    this.#deliver();
  }

  /** Commits at the marks that the cutter has come to; the samples beyond its last whole step come along. */
  #passMarks(): void {
    for (
      let mark = this.#marks[0];
      mark !== undefined && mark < (this.#cutter.stepsTaken + 1) * STEP_SAMPLES;
      mark = this.#marks[0]
    ) {
      this.#marks.shift();
      if (!this.#cutter.isOpen) continue;
      if (this.#ended && this.#marks.length === 0) this.#events.push({ type: "speech-ended", atMs: toMs(mark) });
      const fromStep = this.#cutter.openFromStep;
      this.#cutter.cut();
      this.#recognizePiece(fromStep, mark, false);
    }
  }

  #take(events: SegmenterEvent[]): void {
    for (const event of events) {
      if (event.kind === "piece" && event.toStep > event.fromStep)
        this.#recognizePiece(event.fromStep, event.toStep * STEP_SAMPLES, event.continues);
      else if (event.kind === "piece") this.#pieces.push(this.#emptyPiece());
      else
        this.#events.push({
          type: event.kind === "started" ? "speech-started" : "speech-ended",
          atMs: event.atStep * DETECTION_STEP_MS,
        });
    }
    this.#openFrom = Math.max(this.#openFrom, this.#cutter.openFromStep * STEP_SAMPLES);
  }

  #detectMore(): void {
    if (this.#detecting || this.#over) return;
    if (this.#vad === null) return this.#takeLoudness();
    const window = nextWindow(this.#detectedSteps, { samples: this.#buffer.end, isComplete: this.#ended });
    const fresh = window.keepToStep - window.keepFromStep;
    if (fresh <= 0 || (fresh < DETECT_EVERY_STEPS && !this.#ended)) return;
    this.#detecting = true;
    const samples = this.#buffer.view(window.startSample, window.endSample);
    this.#vad.recognize(samples, { slackMs: DETECTION_SLACK_MS }).then(
      (recognized) => {
        this.#detecting = false;
        if (this.#over || recognized.task !== "vad") return;
        this.#detected(windowAnswers(window, recognized.speech));
        this.#advance();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #takeLoudness(): void {
    const from = this.#detectedSteps * STEP_SAMPLES;
    const { end } = this.#buffer;
    // The last step may be short; until it is known to be the last, it is not complete.
    const to = this.#ended ? end : end - ((end - from) % STEP_SAMPLES);
    this.#detected(loudnessAsSpeech(this.#buffer.view(from, to)));
  }

  #detected(speech: Uint8Array): void {
    for (const level of speech) {
      this.#detectedSteps++;
      this.#take(this.#cutter.next(level));
      this.#passMarks();
    }
  }

  #recognizePiece(fromStep: number, to: number, continues: boolean): void {
    // A commit in the middle of a step has taken the step's first samples along.
    const fromSample = Math.max(this.#openFrom, fromStep * STEP_SAMPLES);
    const toSample = Math.min(to, this.#buffer.end);
    this.#partial?.abort();
    this.#partial = null;
    this.#openFrom = Math.max(this.#openFrom, toSample);
    this.#partialEnd = this.#openFrom;
    if (toSample <= fromSample || this.#over) return;
    const piece: Piece = { fromSample, toSample, continues, recognized: null };
    this.#pieces.push(piece);
    this.#recognition.recognize(this.#buffer.view(fromSample, toSample), { slackMs: COMMIT_SLACK_MS }).then(
      (recognized) => {
        piece.recognized = recognized;
        if (!this.#over) this.#advance();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #emptyPiece(): Piece {
    const recognized = { task: "transcribe" as const, words: [], language: this.#options.language ?? "und" };
    return { fromSample: this.#openFrom, toSample: this.#openFrom, continues: false, recognized };
  }

  #commitRecognized(): void {
    for (let piece = this.#pieces[0]; piece?.recognized?.task === "transcribe"; piece = this.#pieces[0]) {
      this.#pieces.shift();
      this.#events.push({
        type: "committed",
        continues: piece.continues,
        ...utterance(piece.recognized, piece.fromSample, piece.toSample),
      });
    }
  }

  #recognizePartial(): void {
    if (!this.#options.partials || this.#partial !== null || this.#over || this.#ended || !this.#cutter.isOpen) return;
    const from = this.#openFrom;
    const to = Math.min(this.#buffer.end, from + MAX_PIECE_SAMPLES);
    const fresh = to - Math.max(from, this.#partialEnd);
    if (fresh < Math.max(PARTIAL_EVERY_SAMPLES, (to - from) * PARTIAL_EVERY_SHARE)) return;
    const partial = new AbortController();
    this.#partial = partial;
    this.#partialEnd = to;
    this.#recognition
      .recognize(this.#buffer.view(from, to), { slackMs: PARTIAL_SLACK_MS, signal: partial.signal })
      .then(
        (recognized) => {
          if (this.#partial !== partial || this.#over) return;
          this.#partial = null;
          if (recognized.task === "transcribe")
            this.#events.push({ type: "partial", ...utterance(recognized, from, to) });
          this.#advance();
        },
        () => {
          // Superseded, or failed: then the piece itself will fail too, and tell.
          if (this.#partial === partial) this.#partial = null;
        },
      );
  }

  #finishIfDone(): void {
    const isDetected = this.#detectedSteps * STEP_SAMPLES >= this.#buffer.end;
    if (this.#over || !this.#ended || this.#marks.length > 0 || this.#pieces.length > 0 || !isDetected) return;
    this.#stop({ type: "ended" });
  }

  #fail(cause: unknown): void {
    if (this.#over) return;
    this.#stop({
      type: "failed",
      error: cause instanceof ServiceError ? cause : new ServiceError("internal", { cause }),
    });
    this.#deliver();
  }

  #stop(last: SessionEvent): void {
    this.#over = true;
    this.#recognition.close();
    this.#vad?.close();
    this.#events.push(last);
    this.#letIn();
  }

  #letIn(): void {
    if (!this.#over && this.waitingMs > ROOMY_SECONDS * 1000) return;
    for (const resolve of this.#roomWaiters.splice(0)) resolve();
  }

  /** A callback may call back into the session: events of the inner call wait their turn here. */
  #deliver(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift())
        this.#options.onEvent(event);
    } finally {
      this.#delivering = false;
    }
  }
}

function utterance(
  { words, language }: Extract<RecognitionOutput, { task: "transcribe" }>,
  fromSample: number,
  toSample: number,
): Utterance {
  const startMs = toMs(fromSample);
  return {
    text: words.map(({ text }) => text).join(" "),
    words: words.map((word) => ({ ...word, startMs: startMs + word.startMs, endMs: startMs + word.endMs })),
    startMs,
    endMs: toMs(toSample),
    language,
  };
}

function toMs(samples: number): number {
  return samples / (RECOGNITION_RATE / 1000);
}
