import { openAiMounts } from "#protocol/compat/openai-speech";
import { elevenLabsMount } from "#protocol/compat/elevenlabs-speech";
import type { HttpRoute, SocketRoute } from "../http/exchange.js";
import type { SpeechContext } from "../speech/session/context.js";
import { unknownCompatRoutes } from "./compat-route.js";
import { inputSocketRoute } from "./elevenlabs/input-socket.js";
import { elevenLabsLibraryRoutes } from "./elevenlabs/library.js";
import { elevenLabsSpeechRoutes } from "./elevenlabs/speech.js";
import { renderElevenLabsError, renderOpenAiError } from "./error-answer.js";
import { openAiModelRoutes } from "./openai/models.js";
import { openAiSpeechRoutes } from "./openai/speech.js";

/** The compatibility layers: other vendors' requests on top of the same streams as the native routes. */
export function compatRoutes(context: SpeechContext): { http: HttpRoute[]; sockets: SocketRoute[] } {
  const { log } = context;
  return {
    http: [
      ...openAiSpeechRoutes(context),
      ...openAiModelRoutes({ log }),
      ...elevenLabsSpeechRoutes(context),
      ...elevenLabsLibraryRoutes(context),
      ...unknownCompatRoutes(elevenLabsMount, { log, renderError: renderElevenLabsError }),
      ...openAiMounts.flatMap((mount) => unknownCompatRoutes(mount, { log, renderError: renderOpenAiError })),
    ],
    sockets: [inputSocketRoute(context, false), inputSocketRoute(context, true)],
  };
}
