import type { AudioFormat, SpeechRequest } from "#protocol/speech/request";
import { bodyLimits } from "#protocol/limits";
import type { HttpResponder, HttpRoute } from "../../http/exchange.js";
import type { SpeechContext } from "../../speech/context.js";
import { handleSpeech, type HttpSpeechWriter } from "./http-speech.js";

/** What each format is called in a `content-type`. */
export const audioContentTypes: Readonly<Record<AudioFormat, string>> = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  pcm: "audio/pcm",
  opus: "audio/ogg",
};

/** `POST /v1/tts`: the file as a chunked body that begins with the first audio. */
export function speechFileRoute(context: SpeechContext): HttpRoute {
  const route = "/v1/tts";
  return {
    method: "POST",
    path: route,
    maxBodyBytes: bodyLimits.speech,
    handle: (request, responder) =>
      handleSpeech({ context, route, request, responder, makeWriter: (to, asked) => writeFile(to, asked) }),
  };
}

/** Writes a file as a chunked body that begins with the first audio. */
export function writeFile(
  responder: HttpResponder,
  request: SpeechRequest,
  contentType = audioContentTypes[request.format ?? "mp3"],
): HttpSpeechWriter {
  const headers = { "content-type": contentType, "cache-control": "no-store" };
  return {
    async bytes(bytes) {
      if (!responder.begun) responder.begin(200, headers);
      if (!responder.write(bytes)) await responder.writable();
    },
    async ended() {
      responder.end();
    },
    failed: () => false,
  };
}
