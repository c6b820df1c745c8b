import type { Transcript, TranscriptionRequest, TranscriptSegment } from "#protocol/transcription/request";
import { transcribeFile } from "#protocol/operations/transcription";
import { answerJson } from "../../http/answers.js";
import { declaredRoute } from "../../http/declared-route.js";
import type { HttpRoute } from "../../http/exchange.js";
import type { TranscriptionContext } from "../../transcription/context.js";
import { describeLanguage } from "#transcription/recognizer-choice";
import type { FileTranscript } from "../../transcription/transcribe-file.js";
import { phraseSegments, textOf, wordSegments } from "#transcription/transcript";
import { readTranscriptionRequest } from "./body.js";
import { transcribeOverHttp } from "../../transcription/http-transcription.js";

/** `POST /v1/asr` (docs/protocol.md "Transcription"): one audio file in, its words out. */
export function transcriptionRoute(context: TranscriptionContext): HttpRoute {
  return declaredRoute(transcribeFile, (request, responder) =>
    transcribeOverHttp({
      context,
      route: transcribeFile.path,
      request,
      responder,
      maxBodyBytes: transcribeFile.body.maxBytes,
      read: readTranscriptionRequest,
      answer: (result, asked) => answerJson(responder, 200, describe(result, asked)),
    }),
  );
}

function describe(
  { words, seconds, language }: FileTranscript,
  request: Omit<TranscriptionRequest, "audio">,
): Transcript {
  return {
    text: textOf(words),
    duration: Math.round(seconds * 1000) / 1000,
    segments: segmentsOf(words, request),
    ...describeLanguage(language),
  };
}

function segmentsOf(words: FileTranscript["words"], request: Omit<TranscriptionRequest, "audio">): TranscriptSegment[] {
  if (request.timestamp_granularity === "word") return wordSegments(words);
  if (request.timestamp_granularity === "segment" || !request.ignore_timestamps) return phraseSegments(words);
  return [];
}
