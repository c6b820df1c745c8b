import { textToSpeech } from "#protocol/operations/speech";
import { declaredRoute } from "../../http/declared-route.js";
import type { HttpRoute } from "../../http/exchange.js";
import type { SpeechContext } from "../../speech/context.js";
import { writeFile } from "../../speech/file-writer.js";
import { handleSpeech } from "./handle-speech.js";

/** `POST /v1/tts`: the file as a chunked body that begins with the first audio. */
export function speechFileRoute(context: SpeechContext): HttpRoute {
  const route = textToSpeech.path;
  return declaredRoute(textToSpeech, (request, responder) =>
    handleSpeech({ context, route, request, responder, makeWriter: (to, asked) => writeFile(to, asked) }),
  );
}
