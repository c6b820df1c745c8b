import {
  DETECTION_CONTEXT_MS,
  DETECTION_STEP_MS,
  LISTENING_RATE,
  MAX_SOUND_SECONDS,
} from "#protocol/transcription/chunk";
import { ServiceError } from "#protocol/errors";
import type { SoundSegment } from "../segmentation/cut.js";
import type { SoundStream } from "../recognition/recognition-client.js";
import { STEP_SAMPLES } from "../segmentation/windows.js";
import { loudnessAsSpeech } from "../segmentation/loudness.js";
import { ProgressiveCut } from "../segmentation/progressive-cut.js";
import { SoundWindow } from "../segmentation/audio-window.js";
import type { HeardSegment } from "../transcript.js";

export interface TranscriberOptions {
  /** Hears words. */
  ear: SoundStream;
  /** Hears where someone speaks; null cuts the sound where it is quietest. */
  detector: SoundStream | null;
  /** Ends all work. */
  signal: AbortSignal;
  /** Told of each piece in the order of the sound, as soon as all before it are heard. */
  onHeard?: ((segment: HeardSegment) => void) | undefined;
}

/** Files are nobody's conversation: their pieces are wanted in the order in which they came, within this time. */
const SLACK_MS = 20_000;
/** Sound of one request that is out to be recognized at once: 5 MB, a dozen pieces. */
const MOST_OUT_SAMPLES = 160 * LISTENING_RATE;
/** Windows of one request that are out to the detector at once. */
const MOST_WINDOWS_OUT = 3;

const WINDOW_SAMPLES = MAX_SOUND_SECONDS * LISTENING_RATE;
const PAST_SAMPLES = (DETECTION_CONTEXT_MS.past / DETECTION_STEP_MS) * STEP_SAMPLES;
const FUTURE_SAMPLES = (DETECTION_CONTEXT_MS.future / DETECTION_STEP_MS) * STEP_SAMPLES;

/**
 * Transcribes one sound while it is being decoded:
 *
 *     samples ─► windows ─► detector ─► cut at pauses ─► segments ─► ear, many at once ─► words
 *
 * Holds the sound between the oldest sample that is not cut yet and the newest, and the segments that are out: some ten
 * megabytes, however long the sound is. The result does not depend on who answers when.
 */
export class Transcriber {
  readonly #options: TranscriberOptions;
  readonly #window = new SoundWindow();
  readonly #cut = new ProgressiveCut();
  readonly #heard: HeardSegment[] = [];
  /** Answers of the detector that are not cut yet, oldest first. */
  readonly #detections: Promise<Uint8Array>[] = [];
  readonly #listening = new Set<Promise<void>>();
  /** The pieces that went out and were not reported yet, in the order of the sound; filled in as they come back. */
  readonly #unreported: { heard: HeardSegment | null }[] = [];
  /** Place up to which the detector was asked for answers. */
  #askedTo = 0;
  #outSamples = 0;
  #heardSamples = 0;
  #languages = new Map<string, number>();
  #failure: { reason: unknown } | null = null;

  constructor(options: TranscriberOptions) {
    this.#options = options;
  }

  /**
   * The pieces heard, and the language of most of their words, null when there were none. Throws the first failure of
   * decoder, detector or ear.
   */
  async run(pieces: AsyncIterable<Int16Array>): Promise<{ heard: HeardSegment[]; language: string | null }> {
    for await (const piece of pieces) {
      this.#throwFailure();
      this.#window.append(piece);
      while (this.#window.end - this.#windowStart() >= WINDOW_SAMPLES)
        await this.#askDetector(this.#windowStart() + WINDOW_SAMPLES, false);
    }
    if (this.#window.end > this.#askedTo) await this.#askDetector(this.#window.end, true);
    while (this.#detections.length > 0) await this.#takeDetection();
    await this.#listenTo(this.#cut.end(this.#window.end));
    await Promise.all(this.#listening);
    this.#throwFailure();
    const [commonest] = [...this.#languages].sort(([, a], [, b]) => b - a);
    return { heard: this.#heard, language: commonest?.[0] ?? null };
  }

  /** Sound whose words have come. */
  get heardSeconds(): number {
    return this.#heardSamples / LISTENING_RATE;
  }

  #windowStart(): number {
    return Math.max(0, this.#askedTo - PAST_SAMPLES);
  }

  /**
   * Sends the window that ends at `end`; its answers count from the last window's up to the context that the detector
   * wants after them.
   */
  async #askDetector(end: number, isLast: boolean): Promise<void> {
    const start = this.#windowStart();
    const keepFrom = (this.#askedTo - start) / STEP_SAMPLES;
    const keepTo = isLast ? Math.ceil((end - start) / STEP_SAMPLES) : (end - FUTURE_SAMPLES - start) / STEP_SAMPLES;
    const samples = this.#window.slice(start, end);
    this.#askedTo = start + keepTo * STEP_SAMPLES;
    const answer = this.#detect(samples).then((speech) => {
      const kept = new Uint8Array(keepTo - keepFrom);
      kept.set(speech.subarray(keepFrom, keepTo));
      return kept;
    });
    answer.catch((reason: unknown) => this.#fail(reason));
    this.#detections.push(answer);
    while (this.#detections.length >= MOST_WINDOWS_OUT) await this.#takeDetection();
  }

  async #detect(samples: Int16Array): Promise<Uint8Array> {
    const { detector, signal } = this.#options;
    if (detector === null) return loudnessAsSpeech(samples);
    const piece = await detector.hear(samples, { slackMs: SLACK_MS, signal });
    if (piece.task !== "detect") throw new ServiceError("internal", { cause: new TypeError("words from a detector") });
    return piece.speech;
  }

  async #takeDetection(): Promise<void> {
    const speech = await this.#detections.shift();
    if (speech === undefined) return;
    await this.#listenTo(this.#cut.push(speech));
    this.#window.dropBefore(Math.min(this.#cut.doneSample, this.#windowStart()));
  }

  async #listenTo(segments: readonly SoundSegment[]): Promise<void> {
    for (const { startSample, endSample } of segments) {
      while (this.#outSamples > 0 && this.#outSamples + endSample - startSample > MOST_OUT_SAMPLES)
        await Promise.race(this.#listening);
      this.#throwFailure();
      const samples = this.#window.slice(startSample, endSample);
      this.#outSamples += samples.length;
      const report: { heard: HeardSegment | null } = { heard: null };
      this.#unreported.push(report);
      const listening: Promise<void> = this.#hear(samples, startSample, report)
        .catch((reason: unknown) => this.#fail(reason))
        .finally(() => {
          this.#outSamples -= endSample - startSample;
          this.#listening.delete(listening);
        });
      this.#listening.add(listening);
    }
  }

  async #hear(samples: Int16Array, startSample: number, report: { heard: HeardSegment | null }): Promise<void> {
    const { ear, signal } = this.#options;
    const piece = await ear.hear(samples, { slackMs: SLACK_MS, signal });
    if (piece.task !== "listen")
      throw new ServiceError("internal", { cause: new TypeError("no words from a recognizer") });
    this.#heardSamples += samples.length;
    report.heard = { startMs: (startSample * 1000) / LISTENING_RATE, words: piece.words };
    this.#heard.push(report.heard);
    this.#reportInOrder();
    this.#languages.set(piece.language, (this.#languages.get(piece.language) ?? 0) + piece.words.length);
  }

  #reportInOrder(): void {
    for (let next = this.#unreported[0]?.heard ?? null; next !== null; next = this.#unreported[0]?.heard ?? null) {
      this.#unreported.shift();
      this.#options.onHeard?.(next);
    }
  }

  /** Keeps the first failure; the loop that feeds the work throws it. */
  #fail(reason: unknown): void {
    this.#failure ??= { reason };
  }

  #throwFailure(): void {
    this.#options.signal.throwIfAborted();
    if (this.#failure !== null) throw this.#failure.reason;
  }
}
