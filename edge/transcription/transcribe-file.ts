import { setMaxListeners } from "node:events";
import { ServiceError } from "#protocol/errors";
import { type RecognizedWord, RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { MAX_TRANSCRIBED_SECONDS, MIN_TRANSCRIBED_SECONDS, type NumberForm } from "#protocol/transcription/request";
import type { OpenedAudio } from "#audio/decoding/open-audio";
import type { TranscriptionCaller } from "./caller.js";
import type { TranscriptionContext } from "./context.js";
import { chooseRecognizer } from "#transcription/recognizer-choice";
import { type RecognizedSegment, mergeWords } from "#transcription/transcript";
import { withNumbers } from "#transcription/numbers/write-numbers";
import { asRecognized, punctuate } from "#transcription/punctuation/punctuate";
import { openTranscriber } from "#transcription/files/open-transcriber";
import { beginTranscriptionRecord } from "./transcription-record.js";

export interface TranscribeOptions {
  context: TranscriptionContext;
  caller: TranscriptionCaller;
  route: string;
  /** The file. Its memory may be gone afterwards (`openAudio`). */
  audio: Uint8Array;
  /** As the caller named it. */
  language: string | undefined;
  /** Words that he expects. */
  keyterms?: readonly string[] | undefined;
  /** How numbers stand in the words; `PARLEY_ASR_NUMBERS` when absent. */
  numbers?: NumberForm | undefined;
  /** Shortest audio that is taken, seconds; `MIN_TRANSCRIBED_SECONDS` when absent. */
  minSeconds?: number | undefined;
  /**
   * Told of words in the order of the audio, as soon as all before them are known; their times count from the file's
   * beginning.
   */
  onWords?: ((words: readonly RecognizedWord[]) => void) | undefined;
  /** The client is gone. */
  signal: AbortSignal;
}

/** Everything that was said in a file. */
export interface FileTranscript {
  /** In order; times count from the file's beginning. */
  words: RecognizedWord[];
  seconds: number;
  /** BCP-47 language of most words, null when there are none. */
  language: string | null;
}

/** Encoders pad their frames: a recording of sixty minutes decodes to a little more. */
const LENGTH_TOLERANCE_SECONDS = 0.5;
/** Longest audio that is taken, seconds. */
export const LONGEST_TAKEN_SECONDS = MAX_TRANSCRIBED_SECONDS + LENGTH_TOLERANCE_SECONDS;
/** What is said of longer audio. */
export const TOO_LONG_DETAIL = `it is longer than ${MAX_TRANSCRIBED_SECONDS / 60} minutes`;

/**
 * Transcribes one file, and reports its use once, however it ends. Throws `no_worker`, `unknown_language`,
 * `unusable_audio` (reason `too_short`, `too_long` or `ffmpeg_missing` where it is one of these), and what the
 * recognition path throws; an aborted signal rejects with its reason once all work is cancelled.
 */
export async function transcribeFile(options: TranscribeOptions): Promise<FileTranscript> {
  const { context, language, signal } = options;
  const recognizer = chooseRecognizer(context.recognition.served("transcribe"), language, context.config);
  const ending = new AbortController();
  // Every piece that is out listens to it.
  setMaxListeners(0, ending.signal);
  const leave = (): void => ending.abort(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  try {
    const audio = await openFile(options, ending.signal);
    return await startRecognition(audio, { ...options, recognizer, signal: ending.signal });
  } finally {
    signal.removeEventListener("abort", leave);
    // Whatever went wrong: nothing of it goes on.
    ending.abort();
  }
}

async function openFile(
  { context, audio, minSeconds = MIN_TRANSCRIBED_SECONDS }: TranscribeOptions,
  signal: AbortSignal,
): Promise<OpenedAudio> {
  try {
    return await context.openAudio(audio, {
      minSeconds,
      maxSeconds: LONGEST_TAKEN_SECONDS,
      sampleRate: RECOGNITION_RATE,
      signal,
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "unsupported_format") throw error;
    const detail =
      error.reason === "too_long"
        ? TOO_LONG_DETAIL
        : error.reason === "too_short"
          ? `it is shorter than ${minSeconds} second${minSeconds === 1 ? "" : "s"}`
          : String(error.parameters["detail"]);
    throw new ServiceError("unusable_audio", {
      parameters: { detail },
      reason: error.reason ?? undefined,
      cause: error,
    });
  }
}

async function startRecognition(
  audio: OpenedAudio,
  options: TranscribeOptions & { recognizer: ReturnType<typeof chooseRecognizer> },
): Promise<FileTranscript> {
  const { context, recognizer, signal } = options;
  const numbers = options.numbers ?? context.config.PARLEY_ASR_NUMBERS;
  const withPunctuation = context.config.PARLEY_ASR_PUNCTUATION === "on" ? punctuate : asRecognized;
  const written = (segment: RecognizedSegment): RecognizedSegment => ({
    ...segment,
    // Pieces of a file end at pauses.
    words: withPunctuation({
      words: withNumbers(segment, numbers),
      language: segment.language,
      begins: true,
      ends: true,
    }),
  });
  const onRecognized =
    options.onWords === undefined
      ? undefined
      : (segment: RecognizedSegment) => options.onWords?.(mergeWords([written(segment)]));
  // A failure gives nothing to a client that waits for the whole; one that leaves has had its work done.
  const record = beginTranscriptionRecord(options, (outcome) =>
    outcome === "completed"
      ? audio.seconds
      : onRecognized === undefined && outcome !== "cancelled"
        ? 0
        : transcriber.recognizedSeconds,
  );
  const transcriber = openTranscriber({
    client: context.recognition,
    recognizer,
    keyterms: options.keyterms,
    traceparent: record.traceparent,
    signal,
    onRecognized,
  });
  try {
    const { recognized, language } = await transcriber.run(audio.pieces);
    record.end("completed");
    return { words: mergeWords(recognized.map(written)), seconds: audio.seconds, language };
  } catch (error) {
    record.end(signal.aborted ? "cancelled" : "failed");
    throw error;
  } finally {
    transcriber.close();
  }
}
