import { elevenLabsMount } from "#protocol/compat/elevenlabs-speech";
import { openAiMounts } from "#protocol/compat/openai-speech";
import type { AnswerShape, HttpRoute, ReceivedRequest, SocketRoute } from "../http/exchange.js";
import { admitTranscription } from "../transcription/caller.js";
import type { TranscriptionContext } from "../transcription/context.js";
import type { SpeechContext } from "../speech/context.js";
import { inputSocketRoute } from "./elevenlabs/input-socket.js";
import { elevenLabsLibraryRoutes } from "./elevenlabs/library.js";
import { realtimeTranscriptionRoute } from "./elevenlabs/realtime-transcription.js";
import { elevenLabsSpeechRoutes } from "./elevenlabs/speech.js";
import { elevenLabsTranscriptionRoute } from "./elevenlabs/transcription.js";
import { renderElevenLabsError, renderOpenAiError } from "./error-answer.js";
import { openAiChatRoutes } from "./openai/chat.js";
import { openAiModelRoutes } from "./openai/models.js";
import { realtimeRoutes } from "./openai/realtime/realtime-socket.js";
import { openAiSpeechRoutes } from "./openai/speech.js";
import { openAiTranscriptionRoutes } from "./openai/transcription.js";
import { requestTranscriber, socketTranscriber } from "./transcribe-audio.js";

/**
 * How answers look to the clients of each compatibility layer, on its routes and on paths that it does not have: errors
 * as that vendor's libraries parse them, and the identifiers that they read: `X-Generation-Id` and `x-request-id`, both
 * the request's trace id, by which logs and traces find it.
 */
export const compatShapes: readonly AnswerShape[] = [
  ...openAiMounts.map((prefix) => ({ prefix, headers: identifiers, renderError: renderOpenAiError })),
  { prefix: elevenLabsMount, headers: identifiers, renderError: renderElevenLabsError },
];

function identifiers({ trace }: ReceivedRequest): Record<string, string> {
  return { "x-generation-id": trace.traceId, "x-request-id": trace.traceId };
}

/** The compatibility layers: other vendors' requests on top of the same streams as the native routes. */
export function compatRoutes(
  speech: SpeechContext,
  transcription: TranscriptionContext,
): { http: HttpRoute[]; sockets: SocketRoute[] } {
  return {
    http: [
      ...openAiSpeechRoutes(speech),
      ...openAiTranscriptionRoutes(transcription),
      ...openAiChatRoutes({
        speech,
        transcriberFor: (request) => requestTranscriber(transcription, "/compat/chat/completions", request),
      }),
      ...openAiModelRoutes(),
      ...elevenLabsSpeechRoutes(speech),
      elevenLabsTranscriptionRoute(transcription),
      ...elevenLabsLibraryRoutes(speech),
    ],
    sockets: [
      ...realtimeRoutes({
        speech,
        audioBudget: transcription.socketAudio,
        admitTranscription: async (request) => (await admitTranscription(request, transcription)).principal,
        transcriberFor: (request) => socketTranscriber(transcription, "/compat/realtime", request),
      }),
      inputSocketRoute(speech, false),
      inputSocketRoute(speech, true),
      realtimeTranscriptionRoute(transcription),
    ],
  };
}
