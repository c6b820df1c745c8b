import { type AudioFormat, speechDefaults, type SpeechRequest } from "#protocol/speech/request";
import type { HttpResponder } from "../http/exchange.js";
import type { HttpSpeechWriter } from "./http-speech.js";

/** What each format is called in a `content-type`. */
export const audioContentTypes: Readonly<Record<AudioFormat, string>> = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  pcm: "audio/pcm",
  opus: "audio/ogg",
};

/** Writes audio as a chunked body that begins with the first audio. */
export function writeFile(
  responder: HttpResponder,
  request: SpeechRequest,
  contentType = audioContentTypes[request.format ?? speechDefaults.format],
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
