import { transcript, transcriptionRequest } from "../transcription/request.js";
import { bodyLimits } from "../limits.js";
import { authentication, json, type Operation } from "./operation.js";

/** One audio file in, its words out. */
export const transcribeFile = {
  method: "POST",
  path: "/v1/asr" as const,
  tag: "Transcription",
  scope: "transcription",
  summary: "Turn an audio file into text",
  description:
    "One file of at most 20 MB, with 1 second to 60 minutes of audio: WAV, MP3, FLAC, Ogg Opus and Vorbis, WebM; M4A, AAC and others where " +
    "ffmpeg is installed. segments are phrases when ignore_timestamps is false, words when timestamp_granularity is word, and none otherwise. " +
    'numbers is digits ("$25") or words ("twenty five dollars"). ' +
    "Unknown fields are ignored; null means absent.",
  headers: [{ name: "traceparent", description: "W3C trace context; spans of this request join the caller's trace." }],
  body: {
    schema: transcriptionRequest,
    mediaTypes: ["multipart/form-data", "application/msgpack"],
    maxBytes: bodyLimits.audio,
  },
  success: { status: 200, description: "The transcript.", mediaTypes: json, schema: transcript },
  errors: [
    "malformed_multipart",
    "malformed_msgpack",
    "unusable_audio",
    "unknown_language",
    ...authentication,
    "out_of_credit",
    "payload_too_large",
    "unsupported_media_type",
    "validation",
    "too_many_requests",
    "overloaded",
    "no_worker",
    "transcription_failed",
    "engine_failed",
    "draining",
  ],
  curl: "-F audio=@speech.wav -F ignore_timestamps=false",
} satisfies Operation;
