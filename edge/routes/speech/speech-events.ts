import type { ServiceError } from "#protocol/errors";
import type { TimestampEvent } from "#protocol/speech/timestamps";
import { textToSpeechEvents } from "#protocol/operations/speech";
import { declaredRoute } from "../../http/declared-route.js";
import type { HttpResponder, HttpRoute } from "../../http/exchange.js";
import { CurrentChunk } from "../../speech/chunk-alignment.js";
import type { SpeechContext } from "../../speech/context.js";
import type { HttpSpeechWriter } from "../../speech/http-speech.js";
import { handleSpeech } from "./handle-speech.js";

const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };

/**
 * `POST /v1/tts/stream/with-timestamp`: the audio in server-sent events with the timing of its words (docs/protocol.md
 * "Speech with timestamps").
 */
export function speechEventsRoute(context: SpeechContext): HttpRoute {
  const route = textToSpeechEvents.path;
  return declaredRoute(textToSpeechEvents, (request, responder) =>
    handleSpeech({ context, route, request, responder, makeWriter: writeEvents }),
  );
}

function writeEvents(responder: HttpResponder): HttpSpeechWriter {
  const current = new CurrentChunk();

  const send = (bytes: Uint8Array): boolean => {
    if (!responder.begun) responder.begin(200, headers);
    const audio = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    const event: TimestampEvent = { audio_base64: audio, ...current.show() };
    return responder.write(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  };
  return {
    async bytes(bytes) {
      if (!send(bytes)) await responder.writable();
    },
    chunk(event, sampleRate) {
      if (current.take(event, sampleRate)) send(new Uint8Array());
    },
    async ended() {
      responder.end();
    },
    failed(error: ServiceError) {
      if (!responder.begun) return false;
      responder.end(
        Buffer.from(`event: error\ndata: ${JSON.stringify({ status: error.status, message: error.message })}\n\n`),
      );
      return true;
    },
  };
}
