import type { SpeechRequest } from "#protocol/speech/request";
import type { HttpResponder } from "../../http/exchange.js";
import type { HttpSpeechWriter } from "../../speech/http-speech.js";
import { Base64Decoder } from "../base64-pieces.js";
import { renderOpenAiError } from "../error-answer.js";
import { SpokenUsage } from "./spoken-usage.js";

const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };

/**
 * Writes audio as OpenAI's server-sent events (docs/protocol.md "Speech of OpenAI"): `speech.audio.delta` with each
 * piece, whose bytes joined are the file, then `speech.audio.done` with the usage. What fails after the first event is
 * an event with an `error`, as in the other streams of this protocol.
 */
export function writeSpeechEvents(responder: HttpResponder, request: Pick<SpeechRequest, "text">): HttpSpeechWriter {
  const base64 = new Base64Decoder();
  const usage = new SpokenUsage(request);
  const send = (data: string): boolean => {
    if (!responder.begun) responder.begin(200, headers);
    return responder.write(Buffer.from(`data: ${data}\n\n`));
  };
  const sendAudio = (audio: string): boolean =>
    audio === "" || send(JSON.stringify({ type: "speech.audio.delta", audio }));
  return {
    async bytes(bytes) {
      if (!sendAudio(base64.add(bytes))) await responder.writable();
    },
    chunk: (event, sampleRate) => usage.take(event, sampleRate),
    async ended() {
      sendAudio(base64.end());
      const { inputTokens: input_tokens, outputTokens: output_tokens } = usage;
      send(
        JSON.stringify({
          type: "speech.audio.done",
          usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
        }),
      );
      responder.end();
    },
    failed(error) {
      if (!responder.begun) return false;
      send(Buffer.from(renderOpenAiError(error).body).toString());
      responder.end();
      return true;
    },
  };
}
