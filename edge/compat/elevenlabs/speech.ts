import { elevenLabsMount, elevenLabsSpeech } from "#protocol/compat/elevenlabs-speech";
import type { ServiceError } from "#protocol/errors";
import { bodyLimits } from "#protocol/limits";
import { answerJson } from "../../http/answers.js";
import { readBody } from "../../http/body.js";
import type { HttpResponder, HttpRoute } from "../../http/exchange.js";
import { type HttpSpeechWriter, speakOverHttp } from "../../routes/speech/http-speech.js";
import { writeFile } from "../../routes/speech/speech-file.js";
import { admitSpeaker, admitToModel } from "../../speech/session/caller.js";
import type { SpeechContext } from "../../speech/session/context.js";
import { compatRoute } from "../compat-route.js";
import { elevenLabsErrorBody, renderElevenLabsError } from "../error-answer.js";
import { AlignedSpeech } from "./aligned-speech.js";
import { type CharacterAlignment, joinAlignments } from "./alignment.js";
import { withBearer } from "./credentials.js";
import { mapElevenLabsSpeech, type MappedElevenLabsSpeech } from "./speech-request.js";

type MakeWriter = (responder: HttpResponder, mapped: MappedElevenLabsSpeech) => HttpSpeechWriter;

/** The four text-to-speech routes (protocols.md 5.1). */
export function elevenLabsSpeechRoutes(context: SpeechContext): HttpRoute[] {
  const writers: Record<keyof typeof elevenLabsSpeech, MakeWriter> = {
    convert: (responder, mapped) => writeFile(responder, mapped.request),
    stream: (responder, mapped) => writeFile(responder, mapped.request),
    withTimestamps: writeOneObject,
    streamWithTimestamps: writeLines,
  };
  return (Object.keys(elevenLabsSpeech) as (keyof typeof elevenLabsSpeech)[]).map((way) => speechRoute(context, elevenLabsSpeech[way].path, writers[way]));
}

function speechRoute(context: SpeechContext, path: string, makeWriter: MakeWriter): HttpRoute {
  return compatRoute({
    method: "POST",
    path: `${elevenLabsMount}${path}`,
    maxBodyBytes: bodyLimits.text,
    log: context.log,
    renderError: renderElevenLabsError,
    async handle(request, responder) {
      const arrivedAtMs = context.clock.nowMs();
      const principal = await admitSpeaker(withBearer(request), context);
      const body = await readBody(request, ["json"]);
      const mapped = mapElevenLabsSpeech(body, request.parameters["voice_id"] ?? "", new URLSearchParams(request.query), context.config);
      const caller = admitToModel({ principal, model: mapped.model, trace: request.trace, arrivedAtMs, context });
      const writer = makeWriter(responder, mapped);
      await speakOverHttp({ context, route: "/compat/text-to-speech", caller, request: mapped.request, responder, writer });
    },
  });
}

interface TimestampedAudio {
  audio_base64: string;
  alignment: ReturnType<typeof describe> | null;
  normalized_alignment: ReturnType<typeof describe> | null;
}

function describe({ characters, startSeconds, endSeconds }: CharacterAlignment) {
  return { characters, character_start_times_seconds: startSeconds, character_end_times_seconds: endSeconds };
}

function timestamped(parts: readonly Uint8Array[], alignment: CharacterAlignment | null): TimestampedAudio {
  const described = alignment === null || alignment.characters.length === 0 ? null : describe(alignment);
  return { audio_base64: Buffer.concat(parts).toString("base64"), alignment: described, normalized_alignment: described };
}

/** One object with everything: nothing can be sent before the end. */
function writeOneObject(responder: HttpResponder, mapped: MappedElevenLabsSpeech): HttpSpeechWriter {
  const aligned = new AlignedSpeech();
  const alignments: (CharacterAlignment | null)[] = [];
  const parts: Uint8Array[] = [];
  aligned.append(mapped.request.text);
  return {
    async bytes(bytes) {
      parts.push(bytes.slice());
    },
    chunk: (event, sampleRate) => void alignments.push(aligned.take(event, sampleRate)),
    async ended() {
      alignments.push(aligned.rest());
      const all = joinAlignments(alignments.filter((alignment) => alignment !== null));
      answerJson(responder, 200, timestamped(parts, all));
    },
    failed: () => false,
  };
}

/** One object a line. A piece's characters come as soon as its last sample is there; sound before that stands alone. */
function writeLines(responder: HttpResponder, mapped: MappedElevenLabsSpeech): HttpSpeechWriter {
  const aligned = new AlignedSpeech();
  aligned.append(mapped.request.text);
  const send = (bytes: Uint8Array, alignment: CharacterAlignment | null): boolean => {
    if (!responder.begun) responder.begin(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
    return responder.write(Buffer.from(`${JSON.stringify(timestamped([bytes], alignment))}\n`));
  };
  return {
    async bytes(bytes) {
      if (!send(bytes, null)) await responder.writable();
    },
    chunk(event, sampleRate) {
      const alignment = aligned.take(event, sampleRate);
      if (alignment !== null) send(new Uint8Array(), alignment);
    },
    async ended() {
      const rest = aligned.rest();
      if (rest !== null) send(new Uint8Array(), rest);
      responder.end();
    },
    failed(error: ServiceError) {
      if (!responder.begun) return false;
      responder.end(Buffer.from(`${JSON.stringify(elevenLabsErrorBody(error))}\n`));
      return true;
    },
  };
}
