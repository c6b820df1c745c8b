import { openAiMounts, openAiSpeech } from "#protocol/compat/openai-speech";
import { bodyLimits } from "#protocol/limits";
import type { SpeechRequest } from "#protocol/speech/request";
import { audioFields } from "#protocol/speech/request";
import { readBody } from "../../http/body.js";
import type { HttpRoute } from "../../http/exchange.js";
import { speakOverHttp } from "../../speech/http-speech.js";
import { audioContentTypes, writeFile } from "../../speech/file-writer.js";
import { admitSpeaker, admitToModel } from "../../speech/caller.js";
import type { SpeechContext } from "../../speech/context.js";
import { writeSpeechEvents } from "./speech-events.js";
import { mapOpenAiSpeech } from "./speech-request.js";

/** Clients of OpenAI's interface know the rate of PCM from nothing but its content type. */
function contentTypeOf({ format = "mp3", sample_rate: rate }: SpeechRequest): string {
  return format === "pcm" ? `audio/pcm;rate=${rate}` : audioContentTypes[format];
}

/** `POST /audio/speech` on every mount: the native stream with another request and other errors around it. */
export function openAiSpeechRoutes(context: SpeechContext): HttpRoute[] {
  return openAiMounts.map((mount) => ({
    method: "POST",
    path: `${mount}${openAiSpeech.path}`,
    maxBodyBytes: bodyLimits.speech,
    async handle(request, responder) {
      const arrivedAtMs = context.clock.nowMs();
      const principal = await admitSpeaker(request, context);
      const body = await readBody(request, ["json"], audioFields);
      const mapped = mapOpenAiSpeech(body, (name) => request.header(name), context.config);
      const caller = admitToModel({ principal, model: mapped.model, trace: request.trace, arrivedAtMs, context });
      const writer = mapped.asEvents
        ? writeSpeechEvents(responder, mapped.request)
        : writeFile(responder, mapped.request, contentTypeOf(mapped.request));
      await speakOverHttp({
        context,
        route: "/compat/audio/speech",
        caller,
        request: mapped.request,
        responder,
        writer,
      });
    },
  }));
}
