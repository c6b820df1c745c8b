import { z } from "zod";
import { openAiChat } from "#protocol/compat/openai-chat";
import { ServiceError } from "#protocol/errors";
import { audioBytes, MAX_TEXT_CHARACTERS } from "#protocol/speech/request";
import { validate } from "../../http/validation.js";
import { refuseParameters } from "../refuse.js";
import { assertTranscriptionModel } from "./transcription-request.js";
import { type MappedSpeech, mapOpenAiSpeech, type OpenAiSettings } from "./speech-request.js";

const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string().max(MAX_TEXT_CHARACTERS) }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: audioBytes, format: z.string().nullish() }),
  }),
]);

const body = z.object({
  model: z.string().nullish(),
  messages: z
    .array(
      z.object({
        role: z.string(),
        content: z.union([z.string().max(MAX_TEXT_CHARACTERS), z.array(part).max(64)]).nullish(),
      }),
    )
    .min(1)
    .max(10_000),
  modalities: z.array(z.string()).max(8).nullish(),
  audio: z.object({ voice: z.unknown().optional(), format: z.string().nullish() }).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

/** What a chat request asks for: text to be spoken, or audio to be written down. */
export type MappedChat = { isStreamed: boolean; withUsage: boolean; model: string } & (
  | { kind: "speak"; speech: MappedSpeech }
  | { kind: "transcribe"; audio: Uint8Array }
);

/**
 * Maps the body and headers of `POST /chat/completions` (docs/protocol.md "Chat"). Throws `validation`,
 * `refused_parameter`, and what `mapOpenAiSpeech` throws.
 */
export function mapOpenAiChat(
  value: unknown,
  header: (name: string) => string | undefined,
  settings: OpenAiSettings,
): MappedChat {
  const asked = validate(body, value, ["body"]);
  refuseParameters(openAiChat, "body", value);
  const parts = lastUserParts(asked.messages);
  const recordings = parts.filter((one) => one.type === "input_audio");
  const speaks = asked.modalities?.includes("audio") === true;
  const isStreamed = asked.stream === true;
  const answer = {
    isStreamed,
    withUsage: asked.stream_options?.include_usage === true,
    model: asked.model ?? "service/s2.1-pro",
  };
  if (speaks && recordings.length > 0)
    throw refusal("messages", "audio in and audio out at once would need a language model");
  if (recordings.length > 1) throw refusal("messages", "one input_audio part at a time");
  const [audio] = recordings;
  if (audio !== undefined) {
    assertTranscriptionModel(asked.model ?? undefined, settings);
    return { ...answer, kind: "transcribe", audio: audio.input_audio.data };
  }
  if (!speaks) throw refusal("modalities", "no language model answers here; ask for audio, or send input_audio");
  const input = parts.map((one) => (one.type === "text" ? one.text : "")).join("");
  const format = asked.audio?.format ?? (isStreamed ? "pcm16" : "wav");
  const speech = mapOpenAiSpeech(
    { input, model: asked.model, voice: asked.audio?.voice, response_format: format },
    header,
    settings,
  );
  return { ...answer, kind: "speak", speech };
}

function lastUserParts(messages: z.infer<typeof body>["messages"]): z.infer<typeof part>[] {
  const content = messages.findLast((message) => message.role === "user")?.content;
  if (content === undefined || content === null) throw refusal("messages", "a user message with content is needed");
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function refusal(parameter: string, detail: string): ServiceError {
  return new ServiceError("refused_parameter", { parameters: { parameter, detail } });
}
