import { RECOGNITION_RATE, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import { ServiceError } from "#protocol/errors";
import type { AudioSegment } from "../segmentation/cut.js";
import type { RecognitionStream } from "../recognition/recognition-client.js";
import { windowAnswers, nextWindow, STEP_SAMPLES, windowStart } from "../segmentation/vad-windows.js";
import { loudnessAsSpeech } from "../segmentation/loudness.js";
import { ProgressiveCut } from "../segmentation/progressive-cut.js";
import { AudioBuffer } from "../segmentation/audio-buffer.js";
import type { RecognizedSegment } from "../transcript.js";

export interface TranscriberOptions {
  /** Recognizes words. */
  recognition: RecognitionStream;
  /** Recognizes where someone speaks; null cuts the audio where it is quietest. */
  detector: RecognitionStream | null;
  /** Ends all work. */
  signal: AbortSignal;
  /** Told of each piece in the order of the audio, as soon as all before it are recognized. */
  onRecognized?: ((segment: RecognizedSegment) => void) | undefined;
}

/** Files are nobody's conversation: their pieces are wanted in the order in which they came, within this time. */
const SLACK_MS = 20_000;
/** Audio of one request that is out to be recognized at once: 5 MB, a dozen pieces. */
const MOST_OUT_SAMPLES = 160 * RECOGNITION_RATE;
/** Windows of one request that are out to the detector at once. */
const MOST_WINDOWS_OUT = 3;

const WINDOW_SAMPLES = MAX_AUDIO_SECONDS * RECOGNITION_RATE;

/**
 * Transcribes one audio while it is being decoded:
 *
 *     samples ─► windows ─► detector ─► cut at pauses ─► segments ─► recognizer, many at once ─► words
 *
 * Holds the audio between the oldest sample that is not cut yet and the newest, and the segments that are out: some ten
 * megabytes, however long the audio is. The result does not depend on who answers when.
 */
export class Transcriber {
  readonly #options: TranscriberOptions;
  readonly #audio = new AudioBuffer();
  readonly #cut = new ProgressiveCut();
  readonly #recognized: RecognizedSegment[] = [];
  /** Answers of the detector that are not cut yet, oldest first. */
  readonly #detections: Promise<Uint8Array>[] = [];
  readonly #running = new Set<Promise<void>>();
  /** The pieces that went out and were not reported yet, in the order of the audio; filled in as they come back. */
  readonly #unreported: { recognized: RecognizedSegment | null }[] = [];
  /** Step up to which the detector was asked for answers. */
  #askedToStep = 0;
  #outSamples = 0;
  #recognizedSamples = 0;
  #languages = new Map<string, number>();
  #failure: { reason: unknown } | null = null;

  constructor(options: TranscriberOptions) {
    this.#options = options;
  }

  /**
   * The pieces recognized, and the language of most of their words, null when there were none. Throws the first failure
   * of decoder, detector or recognizer.
   */
  async run(pieces: AsyncIterable<Int16Array>): Promise<{ recognized: RecognizedSegment[]; language: string | null }> {
    for await (const piece of pieces) {
      this.#throwFailure();
      this.#audio.append(piece);
      while (this.#audio.end - this.#windowStart >= WINDOW_SAMPLES) await this.#askDetector(false);
    }
    if (this.#audio.end > this.#askedToStep * STEP_SAMPLES) await this.#askDetector(true);
    while (this.#detections.length > 0) await this.#takeDetection();
    await this.#startRecognition(this.#cut.end(this.#audio.end));
    await Promise.all(this.#running);
    this.#throwFailure();
    const [commonest] = [...this.#languages].sort(([, a], [, b]) => b - a);
    return { recognized: this.#recognized, language: commonest?.[0] ?? null };
  }

  /** Audio whose words have come. */
  get recognizedSeconds(): number {
    return this.#recognizedSamples / RECOGNITION_RATE;
  }

  get #windowStart(): number {
    return windowStart(this.#askedToStep);
  }

  /** Sends the next window to the detector. */
  async #askDetector(isComplete: boolean): Promise<void> {
    const window = nextWindow(this.#askedToStep, { samples: this.#audio.end, isComplete });
    this.#askedToStep += window.keepToStep - window.keepFromStep;
    const answer = this.#vad(this.#audio.view(window.startSample, window.endSample)).then((speech) =>
      windowAnswers(window, speech),
    );
    answer.catch((reason: unknown) => this.#fail(reason));
    this.#detections.push(answer);
    while (this.#detections.length >= MOST_WINDOWS_OUT) await this.#takeDetection();
  }

  async #vad(samples: Int16Array): Promise<Uint8Array> {
    const { detector, signal } = this.#options;
    if (detector === null) return loudnessAsSpeech(samples);
    const piece = await detector.recognize(samples, { slackMs: SLACK_MS, signal });
    if (piece.task !== "vad") throw new ServiceError("internal", { cause: new TypeError("words from a detector") });
    return piece.speech;
  }

  async #takeDetection(): Promise<void> {
    const speech = await this.#detections.shift();
    if (speech === undefined) return;
    await this.#startRecognition(this.#cut.push(speech));
    this.#audio.purge(Math.min(this.#cut.doneSample, this.#windowStart));
  }

  async #startRecognition(segments: readonly AudioSegment[]): Promise<void> {
    for (const { startSample, endSample } of segments) {
      while (this.#outSamples > 0 && this.#outSamples + endSample - startSample > MOST_OUT_SAMPLES)
        await Promise.race(this.#running);
      this.#throwFailure();
      const samples = this.#audio.view(startSample, endSample);
      this.#outSamples += samples.length;
      const report: { recognized: RecognizedSegment | null } = { recognized: null };
      this.#unreported.push(report);
      const running: Promise<void> = this.#recognize(samples, startSample, report)
        .catch((reason: unknown) => this.#fail(reason))
        .finally(() => {
          this.#outSamples -= endSample - startSample;
          this.#running.delete(running);
        });
      this.#running.add(running);
    }
  }

  async #recognize(
    samples: Int16Array,
    startSample: number,
    report: { recognized: RecognizedSegment | null },
  ): Promise<void> {
    const { recognition, signal } = this.#options;
    const piece = await recognition.recognize(samples, { slackMs: SLACK_MS, signal });
    if (piece.task !== "transcribe")
      throw new ServiceError("internal", { cause: new TypeError("no words from a recognizer") });
    this.#recognizedSamples += samples.length;
    const { words, language } = piece;
    report.recognized = { startMs: (startSample * 1000) / RECOGNITION_RATE, words, language };
    this.#recognized.push(report.recognized);
    this.#reportInOrder();
    this.#languages.set(piece.language, (this.#languages.get(piece.language) ?? 0) + piece.words.length);
  }

  #reportInOrder(): void {
    for (
      let next = this.#unreported[0]?.recognized ?? null;
      next !== null;
      next = this.#unreported[0]?.recognized ?? null
    ) {
      this.#unreported.shift();
      this.#options.onRecognized?.(next);
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
