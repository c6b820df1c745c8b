import { elevenLabsMount, elevenLabsSpeech } from "#protocol/compat/elevenlabs-speech";
import type { ServiceError } from "#protocol/errors";
import { bodyLimits } from "#protocol/limits";
import { MIN_AUDIO_FRAME_BYTES } from "#protocol/speech/live";
import { readBody } from "../../http/body.js";
import type { HttpResponder, HttpRoute } from "../../http/exchange.js";
import { type HttpSpeechWriter, speakOverHttp } from "../../speech/http-speech.js";
import { writeFile } from "../../speech/file-writer.js";
import { admitSpeaker, admitToModel } from "../../speech/caller.js";
import type { SpeechContext } from "../../speech/context.js";
import { elevenLabsErrorBody } from "../error-answer.js";
import { type AlignedFrame, AlignedFrames } from "./aligned-frames.js";
import { AlignedSpeech } from "./aligned-speech.js";
import { type HeldAnswer, holdAnswer } from "../held-answer.js";
import type { TextBlocks } from "../text-blocks.js";
import type { CharacterAlignment } from "./alignment.js";
import { withBearer } from "./credentials.js";
import { mapElevenLabsSpeech, type MappedElevenLabsSpeech } from "./speech-request.js";

/** Speaks with a writer of its protocol. */
type Speak = (writer: HttpSpeechWriter) => Promise<void>;

/** One way to answer a request. */
type Way = (options: {
  context: SpeechContext;
  teamId: string;
  responder: HttpResponder;
  mapped: MappedElevenLabsSpeech;
  speak: Speak;
}) => Promise<void>;

/** The four text-to-speech routes (docs/protocol.md "Text to speech of ElevenLabs"). */
export function elevenLabsSpeechRoutes(context: SpeechContext): HttpRoute[] {
  const asFile: Way = ({ responder, mapped, speak }) => speak(writeFile(responder, mapped.request));
  const ways: Record<keyof typeof elevenLabsSpeech, Way> = {
    convert: asFile,
    stream: asFile,
    withTimestamps: ({ context: { heldAnswers }, teamId, responder, mapped: { request }, speak }) =>
      holdAnswer(
        {
          heldAnswers,
          teamId,
          request,
          responder,
          textField: "text",
          instead: "use /stream/with-timestamps, or split the text",
        },
        (answer) => speak(writeOneObject(answer, request.text)),
      ),
    streamWithTimestamps: ({ responder, mapped, speak }) => speak(writeLines(responder, mapped)),
  };
  return (Object.keys(elevenLabsSpeech) as (keyof typeof elevenLabsSpeech)[]).map((name) =>
    speechRoute(context, elevenLabsSpeech[name].path, ways[name]),
  );
}

function speechRoute(context: SpeechContext, path: string, answer: Way): HttpRoute {
  return {
    method: "POST",
    path: `${elevenLabsMount}${path}`,
    maxBodyBytes: bodyLimits.text,
    async handle(request, responder) {
      const arrivedAtMs = context.clock.nowMs();
      const principal = await admitSpeaker(withBearer(request), context);
      const body = await readBody(request, ["json"]);
      const mapped = mapElevenLabsSpeech(
        body,
        request.parameters["voice_id"] ?? "",
        new URLSearchParams(request.query),
        context.config,
      );
      const caller = admitToModel({ principal, model: mapped.model, trace: request.trace, arrivedAtMs, context });
      const speak: Speak = (writer) =>
        speakOverHttp({ context, route: "/compat/text-to-speech", caller, request: mapped.request, responder, writer });
      await answer({ context, teamId: principal.teamId, responder, mapped, speak });
    },
  };
}

interface TimestampedAudio {
  audio_base64: string;
  alignment: ReturnType<typeof describe> | null;
  normalized_alignment: ReturnType<typeof describe> | null;
}

function describe({ characters, startSeconds, endSeconds }: CharacterAlignment) {
  return { characters, character_start_times_seconds: startSeconds, character_end_times_seconds: endSeconds };
}

function timestamped(bytes: Uint8Array, alignment: CharacterAlignment | null): TimestampedAudio {
  const described = alignment === null || alignment.characters.length === 0 ? null : describe(alignment);
  return { audio_base64: Buffer.from(bytes).toString("base64"), alignment: described, normalized_alignment: described };
}

/** One object with everything: nothing can be sent before the end. */
function writeOneObject(answer: HeldAnswer, text: string): HttpSpeechWriter {
  const aligned = new AlignedSpeech();
  const alignment = new HeldAlignment(answer);
  aligned.append(text);
  return {
    isWhole: true,
    bytes: (bytes) => answer.audio(bytes),
    chunk: (event, sampleRate) => alignment.append(aligned.take(event, sampleRate)),
    async ended() {
      alignment.append(aligned.rest());
      await answer.send('{"audio_base64":"', alignment.fields());
    },
    failed: () => false,
  };
}

/** The alignment of an answer, encoded as it will be sent. */
class HeldAlignment {
  readonly #lists: Record<keyof ReturnType<typeof describe>, TextBlocks>;
  #isEmpty = true;

  constructor(answer: HeldAnswer) {
    this.#lists = {
      characters: answer.openText(),
      character_start_times_seconds: answer.openText(),
      character_end_times_seconds: answer.openText(),
    };
  }

  append(alignment: CharacterAlignment | null): void {
    if (alignment === null || alignment.characters.length === 0) return;
    const separator = this.#isEmpty ? "" : ",";
    this.#isEmpty = false;
    const described = describe(alignment);
    for (const name of this.#names())
      this.#lists[name].append(separator + JSON.stringify(described[name]).slice(1, -1));
  }

  /** What follows the audio in the answer's object, from its quotation mark on. */
  *fields(): Generator<string | Uint8Array> {
    yield '","alignment":';
    yield* this.#object();
    yield ',"normalized_alignment":';
    yield* this.#object();
    yield "}";
  }

  *#object(): Generator<string | Uint8Array> {
    if (this.#isEmpty) return yield "null";
    for (const [index, name] of this.#names().entries()) {
      yield `${index === 0 ? "{" : ","}"${name}":[`;
      yield* this.#lists[name].text();
      yield "]";
    }
    yield "}";
  }

  #names(): (keyof ReturnType<typeof describe>)[] {
    return Object.keys(this.#lists) as (keyof ReturnType<typeof describe>)[];
  }
}

/** One object a line: audio, and the characters that begin in it. */
function writeLines(responder: HttpResponder, mapped: MappedElevenLabsSpeech): HttpSpeechWriter {
  const frames = new AlignedFrames({ minFrameBytes: MIN_AUDIO_FRAME_BYTES, isAligned: true });
  frames.append(mapped.request.text);
  const send = (ready: readonly AlignedFrame[]): boolean => {
    let hasRoom = true;
    for (const { audio, alignment } of ready) {
      if (!responder.begun)
        responder.begin(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
      hasRoom = responder.write(Buffer.from(`${JSON.stringify(timestamped(audio ?? new Uint8Array(), alignment))}\n`));
    }
    return hasRoom;
  };
  return {
    encodedTo: (endSeconds) => frames.encodedTo(endSeconds),
    async bytes(bytes) {
      if (!send(frames.audio(bytes))) await responder.writable();
    },
    chunk(event, sampleRate) {
      send(frames.chunk(event, sampleRate));
    },
    async ended() {
      send(frames.end());
      responder.end();
    },
    failed(error: ServiceError) {
      if (!responder.begun) return false;
      responder.end(Buffer.from(`${JSON.stringify(elevenLabsErrorBody(error))}\n`));
      return true;
    },
  };
}
