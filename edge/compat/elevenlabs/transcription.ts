import { elevenLabsMount } from "#protocol/compat/elevenlabs-speech";
import { elevenLabsTranscription } from "#protocol/compat/elevenlabs-transcription";
import { MAX_COMPAT_AUDIO_BODY_BYTES, MIN_COMPAT_AUDIO_SECONDS } from "#protocol/compat/openai-transcription";
import { bodyLimits } from "#protocol/limits";
import { answerJson } from "../../http/answers.js";
import type { HttpRequest, HttpRoute } from "../../http/exchange.js";
import type { TranscriptionContext } from "../../transcription/context.js";
import { textOf } from "#transcription/transcript";
import { type AskedTranscription, transcribeOverHttp } from "../../transcription/http-transcription.js";
import { readAudioForm, requireFile } from "../audio-form.js";
import { keytermsOf } from "../keyterms.js";
import { refuseParameters } from "../refuse.js";
import { withBearer } from "./credentials.js";
import { transcriptEntries } from "./transcript-words.js";

/** `POST /v1/speech-to-text` (docs/protocol.md "Speech to text of ElevenLabs"). */
export function elevenLabsTranscriptionRoute(context: TranscriptionContext): HttpRoute {
  return {
    method: "POST",
    path: `${elevenLabsMount}${elevenLabsTranscription.path}`,
    maxBodyBytes: bodyLimits.compatAudio,
    handle: (request, responder) =>
      transcribeOverHttp({
        context,
        responder,
        request: withBearer(request),
        route: "/compat/speech-to-text",
        maxBodyBytes: MAX_COMPAT_AUDIO_BODY_BYTES,
        minSeconds: MIN_COMPAT_AUDIO_SECONDS,
        read: readRequest,
        answer: ({ words, seconds }, { language }) =>
          answerJson(responder, 200, {
            language_code: language ?? "",
            language_probability: 1,
            text: textOf(words),
            words: transcriptEntries(words),
            audio_duration_secs: Math.round(seconds * 1000) / 1000,
            transcription_id: request.trace.traceId,
          }),
      }),
  };
}

async function readRequest(request: HttpRequest): Promise<AskedTranscription> {
  refuseParameters(elevenLabsTranscription, "query", Object.fromEntries(new URLSearchParams(request.query)));
  const form = await readAudioForm(request);
  const fields = lastOfEach(form.values);
  refuseParameters(elevenLabsTranscription, "form", fields);
  const language = fields["language_code"];
  const keyterms = keytermsOf([form.values["keyterms"] ?? []].flat());
  return { audio: requireFile(form), language: language === "" ? undefined : language, keyterms };
}

/**
 * One value per field, the last: Vercel's AI SDK always sends `diarize=true`, and the user's `diarize=false` after it.
 */
function lastOfEach(values: Record<string, string | string[]>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? value : value.at(-1)]),
  );
}
