import { openAiMounts } from "#protocol/compat/openai-speech";
import {
  MAX_COMPAT_AUDIO_BODY_BYTES,
  MIN_COMPAT_AUDIO_SECONDS,
  openAiTranscription,
} from "#protocol/compat/openai-transcription";
import { ServiceError } from "#protocol/errors";
import { bodyLimits } from "#protocol/limits";
import type { RecognizedWord } from "#protocol/transcription/chunk";
import type { HttpResponder, HttpRoute } from "../../http/exchange.js";
import type { TranscriptionContext } from "../../transcription/context.js";
import { textOf } from "#transcription/transcript";
import { transcribeOverHttp } from "../../transcription/http-transcription.js";
import { renderOpenAiError } from "../error-answer.js";
import { groqFields } from "./groq.js";
import { transcriptAnswer } from "./transcript-answer.js";
import { type MappedTranscription, readOpenAiTranscription } from "./transcription-request.js";

/** `POST /audio/transcriptions` on every mount (docs/protocol.md "Transcriptions of OpenAI"). */
export function openAiTranscriptionRoutes(context: TranscriptionContext): HttpRoute[] {
  return openAiMounts.map((mount) => ({
    method: "POST",
    path: `${mount}${openAiTranscription.path}`,
    maxBodyBytes: bodyLimits.compatAudio,
    handle: (request, responder) => {
      const events = new TranscriptEvents(responder);
      return events.guard(() =>
        transcribeOverHttp<MappedTranscription>({
          context,
          request,
          responder,
          route: "/compat/audio/transcriptions",
          maxBodyBytes: MAX_COMPAT_AUDIO_BODY_BYTES,
          minSeconds: MIN_COMPAT_AUDIO_SECONDS,
          read: (asked) => readOpenAiTranscription(asked, context.config),
          onWords: (words, asked) => asked.isStreamed && events.words(words),
          answer: (result, asked) => {
            if (asked.isStreamed) return events.done(textOf(result.words), result.seconds);
            const { contentType, body } = transcriptAnswer(result, asked, groqFields(mount, request.trace.traceId));
            responder.begin(200, { "content-type": contentType });
            responder.end(Buffer.from(body));
          },
        }),
      );
    },
  }));
}

/**
 * A transcript as server-sent events: what was said, phrase by phrase while the rest is being recognized, then the
 * whole.
 */
class TranscriptEvents {
  readonly #responder: HttpResponder;
  #isFirst = true;

  constructor(responder: HttpResponder) {
    this.#responder = responder;
  }

  words(words: readonly RecognizedWord[]): void {
    if (words.length === 0) return;
    const delta = `${this.#isFirst ? "" : " "}${textOf(words)}`;
    this.#isFirst = false;
    this.#send({ type: "transcript.text.delta", delta });
  }

  done(text: string, seconds: number): void {
    this.#send({ type: "transcript.text.done", text, usage: { type: "duration", seconds: Math.ceil(seconds) } });
    this.#responder.end(Buffer.from("data: [DONE]\n\n"));
  }

  /** What fails after the first event is shown as one: the libraries throw at an `error` key. */
  async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#responder.begun || !(error instanceof ServiceError)) throw error;
      this.#responder.end(Buffer.from(`data: ${Buffer.from(renderOpenAiError(error).body).toString()}\n\n`));
    }
  }

  #send(event: object): void {
    if (!this.#responder.begun)
      this.#responder.begin(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    this.#responder.write(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  }
}
