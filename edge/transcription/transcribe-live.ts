import { setImmediate as nextTurn } from "node:timers/promises";
import { ServiceError } from "#protocol/errors";
import { type RecognizedWord, RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { createPcmReader } from "#audio/pcm-reader";
import { newIdentifier } from "#common/identifier";
import { type ChosenRecognizer, chooseRecognizer } from "#transcription/recognizer-choice";
import { defaultCutOptions } from "#transcription/segmentation/cut";
import type { EndpointOptions } from "#transcription/segmentation/endpoint";
import { TranscriptionSession, type SessionEvent } from "#transcription/streaming/session";
import { withNumbers } from "#transcription/numbers/write-numbers";
import { asRecognized, punctuate } from "#transcription/punctuation/punctuate";
import { textOf } from "#transcription/transcript";
import type { TranscriptionCaller } from "./caller.js";
import type { TranscriptionContext } from "./context.js";
import { LONGEST_TAKEN_SECONDS, TOO_LONG_DETAIL } from "./transcribe-file.js";
import { beginTranscriptionRecord, type TranscriptionRecord } from "./transcription-record.js";

export interface TranscribeLiveOptions {
  context: TranscriptionContext;
  caller: TranscriptionCaller;
  route: string;
  /** Mono s16le as it comes in, up to the end of the turn. Rejects when the signal aborts. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Of the bytes, Hz. */
  sampleRate: number;
  /** As the caller named it. */
  language: string | undefined;
  /** Words that he expects. */
  keyterms?: readonly string[] | undefined;
  /** Called with the text so far while the turn lasts: it may still change. Without it, partials are not made. */
  onPartial?: ((text: string) => void) | undefined;
  /** Called with the words of each stretch, in order, when they will not change any more. */
  onWords?: ((words: readonly RecognizedWord[]) => void) | undefined;
  signal: AbortSignal;
}

/** What was said in a turn; times count from its beginning. */
export interface LiveTranscript {
  words: RecognizedWord[];
  seconds: number;
}

/**
 * Whatever may be speech is recognized, as in files: the client says where a turn ends, so that silence only tells
 * where to cut.
 */
const wholeTurn: EndpointOptions = {
  minSpeechMs: 0,
  endSilenceMs: defaultCutOptions.splitPauseMs,
  startThreshold: defaultCutOptions.threshold,
  stayThreshold: defaultCutOptions.threshold,
};

/**
 * Transcribes one turn while it comes in, and reports its use once, however it ends. Throws `no_worker`,
 * `unknown_language`, `unusable_audio` (reason `too_long`), and what recognition and `read` throw; an aborted signal
 * rejects with its reason once all work is cancelled.
 */
export async function transcribeLive(options: TranscribeLiveOptions): Promise<LiveTranscript> {
  const { context, language, signal } = options;
  const recognizer = chooseRecognizer(context.recognition.served("transcribe"), language, context.config);
  const turn = new Turn(options);
  const record = beginTranscriptionRecord(options, (outcome) => turn.givenSeconds(outcome));
  try {
    await recognize(options, { recognizer, turn, record });
    record.end("completed");
    return { words: turn.words, seconds: turn.seconds };
  } catch (error) {
    const isGiven = signal.aborted && turn.givenSeconds("cancelled") > 0;
    record.end(signal.aborted ? "cancelled" : "failed", { hasUsage: turn.isComplete || isGiven });
    throw error;
  }
}

async function recognize(
  options: TranscribeLiveOptions,
  { recognizer, turn, record }: { recognizer: ChosenRecognizer; turn: Turn; record: TranscriptionRecord },
): Promise<void> {
  const { session, ended } = openSession(options, { recognizer, traceparent: record.traceparent, turn });
  const ending = new AbortController();
  try {
    const signal = AbortSignal.any([options.signal, ending.signal]);
    const fed = feed(session, turn, { ...options, signal }).then(() => record.audioIsComplete());
    await Promise.all([fed, ended]);
  } finally {
    session.close();
    ending.abort();
  }
}

/** A session that gives its words to the turn; `ended` settles with it. */
function openSession(
  { context, keyterms, onPartial, signal }: TranscribeLiveOptions,
  { recognizer, traceparent, turn }: { recognizer: ChosenRecognizer; traceparent: string; turn: Turn },
): { session: TranscriptionSession; ended: Promise<void> } {
  let onEnd: (error: Error | null) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    onEnd = (error) => (error === null ? resolve() : reject(error));
  });
  const session = new TranscriptionSession({
    recognition: context.recognition,
    sessionId: newIdentifier(),
    recognizer: recognizer.folder,
    detector: context.recognition.served("vad")[0]?.name ?? null,
    language: recognizer.language,
    keyterms,
    traceparent,
    endpoint: wholeTurn,
    partials: onPartial !== undefined,
    onEvent(event) {
      if (event.type === "ended") onEnd(null);
      else if (event.type === "failed") onEnd(event.error);
      else turn.take(event);
    },
  });
  signal.addEventListener("abort", () => onEnd(signal.reason), { once: true });
  return { session, ended };
}

async function feed(
  session: TranscriptionSession,
  turn: Turn,
  { read, sampleRate, signal }: TranscribeLiveOptions,
): Promise<void> {
  const reader = createPcmReader(sampleRate, RECOGNITION_RATE);
  for await (const bytes of read(signal)) {
    turn.addBytes(bytes.length);
    session.push(reader.read(bytes));
    await session.room();
    // What came in at once is resampled here: others get their turn in between.
    await nextTurn();
  }
  signal.throwIfAborted();
  session.push(reader.end());
  turn.isComplete = true;
  session.end();
}

/** What is known of a turn so far. */
class Turn {
  readonly words: RecognizedWord[] = [];
  isComplete = false;
  readonly #options: TranscribeLiveOptions;
  #bytes = 0;
  /** What is committed ends in the middle of what is said. */
  #isInSentence = false;
  /** Audio whose words will not change any more, and audio up to which the client was given words. */
  #recognizedMs = 0;
  #givenToMs = 0;

  constructor(options: TranscribeLiveOptions) {
    this.#options = options;
  }

  get seconds(): number {
    return Math.floor(this.#bytes / 2) / this.#options.sampleRate;
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.seconds > LONGEST_TAKEN_SECONDS)
      throw new ServiceError("unusable_audio", { parameters: { detail: TOO_LONG_DETAIL }, reason: "too_long" });
  }

  /** A failure gives nothing; who leaves has had the work of a complete turn done, or the words of an open one. */
  givenSeconds(outcome: "completed" | "partial" | "cancelled" | "failed"): number {
    if (outcome === "completed") return this.seconds;
    if (this.isComplete && outcome === "cancelled") return this.#recognizedMs / 1000;
    return outcome === "failed" ? 0 : this.#givenToMs / 1000;
  }

  take(event: Exclude<SessionEvent, { type: "ended" | "failed" }>): void {
    if (event.type !== "partial" && event.type !== "committed") return;
    const { onPartial, onWords, context } = this.#options;
    const withPunctuation = context.config.PARLEY_ASR_PUNCTUATION === "on" ? punctuate : asRecognized;
    const words = withPunctuation({
      words: withNumbers(event, context.config.PARLEY_ASR_NUMBERS),
      language: event.language,
      begins: !this.#isInSentence,
      ends: event.type === "committed" && !event.continues,
    });
    if (event.type === "committed") {
      this.#isInSentence = event.continues;
      this.words.push(...words);
      this.#recognizedMs += event.endMs - event.startMs;
      onWords?.(words);
    }
    if (onPartial === undefined || this.isComplete) return;
    this.#givenToMs = event.endMs;
    onPartial(textOf([...this.words, ...(event.type === "partial" ? words : [])]));
  }
}
