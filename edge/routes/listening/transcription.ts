import type { Transcript, TranscriptionRequest, TranscriptSegment } from "#protocol/listening/request";
import { answerJson } from "../../http/answers.js";
import type { HttpRequest, HttpResponder, HttpRoute } from "../../http/exchange.js";
import { admitTranscription } from "../../listening/caller.js";
import type { ListeningContext } from "../../listening/context.js";
import { chooseRecognizer, describeLanguage } from "../../listening/recognizer.js";
import { type FileTranscript, transcribeFile } from "../../listening/transcribe-file.js";
import { phraseSegments, textOf, wordSegments } from "../../listening/transcript.js";
import { readTranscriptionRequest, uploadBytes } from "./body.js";

/** `POST /v1/asr` (protocols.md 1.4): one audio file in, its words out. */
export function transcriptionRoute(context: ListeningContext): HttpRoute {
  const route = "/v1/asr";
  return {
    method: "POST",
    path: route,
    handle: (request, responder) => transcribe(context, route, request, responder),
  };
}

async function transcribe(context: ListeningContext, route: string, request: HttpRequest, responder: HttpResponder): Promise<void> {
  const caller = await admitTranscription(request, context);
  // Nobody uploads twenty megabytes to learn that there is no recognizer.
  chooseRecognizer(context.sound.served("listen"), undefined, context.config);
  const signal = responder.closed;
  const leaveTeam = context.teamSlots.take(caller.principal);
  try {
    const freeMemory = await context.uploads.take(uploadBytes(request), signal);
    try {
      const body = await readTranscriptionRequest(request);
      const result = await transcribeFile({ context, caller, route, audio: body.audio, language: body.language, signal });
      if (!signal.aborted) answerJson(responder, 200, describe(result, body));
    } finally {
      freeMemory();
    }
  } finally {
    leaveTeam();
  }
}

function describe({ words, seconds, language }: FileTranscript, request: Omit<TranscriptionRequest, "audio">): Transcript {
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
