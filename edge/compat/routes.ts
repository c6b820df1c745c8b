import { elevenLabsMount } from "#protocol/compat/elevenlabs-speech";
import { openAiMounts } from "#protocol/compat/openai-speech";
import type { HttpRoute, RefusalShape, SocketRoute } from "../http/exchange.js";
import { admitTranscription } from "../transcription/caller.js";
import type { TranscriptionContext } from "../transcription/context.js";
import type { SpeechContext } from "../speech/context.js";
import { identifiedRefusal } from "./compat-route.js";
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

/** How refusals look to the clients of each compatibility layer, on its routes and on paths that it does not have. */
export const compatRefusals: readonly RefusalShape[] = [
  ...openAiMounts.map((prefix) => ({ prefix, render: identifiedRefusal(renderOpenAiError) })),
  { prefix: elevenLabsMount, render: identifiedRefusal(renderElevenLabsError) },
];

/** The compatibility layers: other vendors' requests on top of the same streams as the native routes. */
export function compatRoutes(
  speech: SpeechContext,
  transcription: TranscriptionContext,
): { http: HttpRoute[]; sockets: SocketRoute[] } {
  const { log } = speech;
  return {
    http: [
      ...openAiSpeechRoutes(speech),
      ...openAiTranscriptionRoutes(transcription),
      ...openAiChatRoutes({
        speech,
        transcriberFor: (request) => requestTranscriber(transcription, "/compat/chat/completions", request),
      }),
      ...openAiModelRoutes({ log }),
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
