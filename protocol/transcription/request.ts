import { z } from "zod";
import { looseBoolean } from "../loose.js";
import { audioBytes } from "../speech/request.js";

/** The service's name for its recognizer, in usage records and in `PARLEY_MODEL_MAP`. */
export const transcriptionModel = "transcribe-1";

/** Largest audio file. */
export const MAX_AUDIO_FILE_BYTES = 20 * 1024 * 1024;
/** Shortest and longest audio in it, seconds of what really comes out of the decoder. */
export const MIN_TRANSCRIBED_SECONDS = 1;
export const MAX_TRANSCRIBED_SECONDS = 3600;

/** What a segment of a transcript is: a phrase between pauses, or a word. */
const timestampGranularities = ["segment", "word"] as const;
export type TimestampGranularity = (typeof timestampGranularities)[number];

/** How numbers stand in a transcript: as they are written ("$25"), or as the words that were said. */
export const numberForms = ["digits", "words"] as const;
export type NumberForm = (typeof numberForms)[number];

/** The file's bytes. Presence is checked apart: what is missing is not called wrong. */
export const audioFile = z.preprocess((value, context) => {
  if (value !== undefined && value !== null) return value;
  context.addIssue({ code: "custom", params: { type: "missing" }, message: "Field required" });
  return z.NEVER;
}, audioBytes);

const absentWhenNull = (value: unknown): unknown => (value === null || value === "" ? undefined : value);

/**
 * Body of `POST /v1/asr` (docs/protocol.md "Transcription"), from a form or MessagePack; null and empty text are
 * absent. Unknown fields are ignored.
 */
export const transcriptionRequest = z.object({
  audio: audioFile,
  /** ISO 639 code or BCP-47 tag; absent lets the service choose. */
  language: z.preprocess(absentWhenNull, z.string().trim().max(64).optional()),
  /** Segments are left out unless this is false. */
  ignore_timestamps: z.preprocess(absentWhenNull, looseBoolean(true)),
  /** Parley's own: `word` gives a segment for each word, whatever `ignore_timestamps` says. */
  timestamp_granularity: z.preprocess(absentWhenNull, z.enum(timestampGranularities).optional()),
  /** Parley's own: how numbers are given; absent leaves it to the service. */
  numbers: z.preprocess(absentWhenNull, z.enum(numberForms).optional()),
});
export type TranscriptionRequest = z.infer<typeof transcriptionRequest>;

const transcriptSegment = z.object({
  text: z.string(),
  /** Seconds from the beginning of the file. */
  start: z.number(),
  end: z.number(),
});
export type TranscriptSegment = z.infer<typeof transcriptSegment>;

/** Answer of `POST /v1/asr`. */
export const transcript = z.object({
  text: z.string(),
  /** Length of the decoded audio, seconds. */
  duration: z.number(),
  segments: z.array(transcriptSegment),
  /** ISO 639 code of the language that was recognized; absent when it is not known. */
  language_code: z.string().optional(),
  /** Its English name. */
  language: z.string().optional(),
});
export type Transcript = z.infer<typeof transcript>;
