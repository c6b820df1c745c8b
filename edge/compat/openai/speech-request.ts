import { z } from "zod";
import { nativeOptionsKeys, openAiFormats, openAiSpeech, openAiSpeechAliases } from "#protocol/compat/openai-speech";
import { isSet } from "#protocol/compat/parameter";
import { ServiceError } from "#protocol/errors";
import { MAX_TEXT_CHARACTERS, speechModels, type SpeechRequest, speechRequest } from "#protocol/speech/request";
import type { Config } from "#common/config/config";
import { validate } from "../../http/validation.js";
import { snapMp3Bitrate } from "../mp3-bitrate.js";
import { refuseParameters } from "../refuse.js";
import { openAiVoice } from "../voice-alias.js";

const nullable = <T extends z.ZodType>(schema: T): z.ZodPreprocess<z.ZodOptional<T>> =>
  z.preprocess((value) => value ?? undefined, schema.optional());

const reference = z.union([
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.union([z.string(), z.instanceof(Uint8Array)]) }),
  }),
  z.object({ type: z.literal("text"), text: z.string() }),
]);

const body = z.object({
  input: z.string().max(MAX_TEXT_CHARACTERS),
  model: nullable(z.string()),
  voice: nullable(z.union([z.string(), z.object({ id: z.string() })])),
  response_format: nullable(z.string()),
  sample_rate: nullable(z.number().int()),
  speed: nullable(z.number().min(0.25).max(4)),
  stream_format: z.preprocess((value) => (isSet(value) ? value : undefined), z.enum(["audio", "sse"]).optional()),
  temperature: nullable(z.number()),
  top_p: nullable(z.number()),
  repetition_penalty: nullable(z.number()),
  input_references: nullable(z.array(reference).max(64)),
  provider: nullable(z.object({ options: nullable(z.record(z.string(), z.unknown())) })),
});

/** What an operator settles for the OpenAI mounts. */
export type OpenAiSettings = Pick<Config, "PARLEY_MODEL_ALIASES" | "PARLEY_VOICE_ALIASES" | "PARLEY_COMPAT_PCM_RATE">;

/** A native speech request, and the model that serves it, to be read by `chooseModel`. */
export interface MappedSpeech {
  model: string;
  request: SpeechRequest;
  /** Whether the audio is to come in server-sent events. */
  asEvents: boolean;
}

/**
 * Maps the body and the headers of `POST /audio/speech` to a native request (docs/protocol.md "Speech of OpenAI").
 * Headers win over `provider.options`, which win over the fields of the body. Throws `validation`, `refused_parameter`,
 * `unsupported_format`, `unknown_model`.
 */
export function mapOpenAiSpeech(
  value: unknown,
  header: (name: string) => string | undefined,
  settings: OpenAiSettings,
): MappedSpeech {
  const asked = validate(body, value, ["body"]);
  refuseParameters(openAiSpeech, "body", value);
  const native = {
    ...topLevel(asked, settings),
    ...nativeOptions(asked.provider?.options ?? {}),
    ...nativeHeaders(header),
  };
  const speed = (native["prosody"] as { speed?: unknown } | undefined)?.speed === undefined ? asked.speed : undefined;
  const sample_rate =
    native["sample_rate"] ?? (native["format"] === "pcm" ? pcmRate(asked.response_format, settings) : undefined);
  const request = validate(
    speechRequest,
    { ...native, sample_rate, mp3_bitrate: snapMp3Bitrate(native["mp3_bitrate"]), text: asked.input },
    ["body"],
  );
  return {
    model: speechModelOf(asked.model, settings),
    // Set after the native check: clients of this protocol may ask for more than native ones.
    request: speed === undefined ? request : { ...request, prosody: { ...request.prosody, speed } },
    asEvents: asked.stream_format === "sse",
  };
}

function topLevel(
  asked: z.infer<typeof body>,
  settings: Pick<OpenAiSettings, "PARLEY_VOICE_ALIASES">,
): Record<string, unknown> {
  const { temperature, top_p, repetition_penalty } = asked;
  const voice = typeof asked.voice === "object" ? asked.voice.id : asked.voice;
  const name = asked.response_format ?? "pcm";
  if (!Object.hasOwn(openAiFormats, name))
    throw new ServiceError("unsupported_format", {
      parameters: { detail: `use one of ${Object.keys(openAiFormats).join(", ")}` },
    });
  return {
    latency: "low",
    format: openAiFormats[name as keyof typeof openAiFormats],
    sample_rate: asked.sample_rate,
    reference_id: openAiVoice(settings, voice),
    references: pairReferences(asked.input_references ?? []),
    temperature,
    top_p,
    repetition_penalty,
  };
}

/** Rate of PCM where nothing names one: `pcm16` is a name of 24 kHz, `pcm` has the rate that the operator settled. */
function pcmRate(responseFormat: string | undefined, settings: Pick<OpenAiSettings, "PARLEY_COMPAT_PCM_RATE">): number {
  return responseFormat === "pcm16" ? 24_000 : settings.PARLEY_COMPAT_PCM_RATE;
}

/** Each sample with the text after it, or, where texts come first, the text before it. */
function pairReferences(
  parts: z.infer<typeof reference>[],
): { audio: string | Uint8Array; text: string }[] | undefined {
  const references: { audio: string | Uint8Array; text: string }[] = [];
  let earlier = "";
  for (const part of parts) {
    const last = references.at(-1);
    if (part.type === "input_audio") {
      references.push({ audio: part.input_audio.data, text: earlier });
      earlier = "";
    } else if (last !== undefined && last.text === "") last.text = part.text;
    else earlier = part.text;
  }
  return references.length > 0 ? references : undefined;
}

const nativeFields = Object.keys(speechRequest.shape).filter((field) => field !== "text");

function nativeOptions(options: Record<string, unknown>): Record<string, unknown> {
  for (const key of nativeOptionsKeys) {
    const given = Object.hasOwn(options, key) ? options[key] : undefined;
    if (typeof given === "object" && given !== null)
      return Object.fromEntries(Object.entries(given).filter(([field]) => nativeFields.includes(field)));
  }
  return {};
}

/** Native fields that came as `X-Fish-*` headers. */
export function nativeHeaders(header: (name: string) => string | undefined): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const field of nativeFields) {
    const text = header(`x-fish-${field.replaceAll("_", "-")}`) ?? header(`x-fish-${field}`);
    if (text !== undefined) found[field] = fromHeader(text);
  }
  return found;
}

/** JSON, or the text itself: a voice id needs no quotes. */
function fromHeader(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/**
 * The name of a speech model as `chooseModel` reads it. An operator's alias stays as it is, for `chooseModel` to
 * follow, and wins over other vendors' names; absent is the model that those stand for. Throws `unknown_model`.
 */
export function speechModelOf(
  name: string | undefined,
  { PARLEY_MODEL_ALIASES: aliases }: Pick<OpenAiSettings, "PARLEY_MODEL_ALIASES">,
): string {
  const bare = (name ?? "").replace(/^(service|fish-audio)\//, "");
  if (Object.hasOwn(aliases, bare)) return bare;
  if (name === undefined || openAiSpeechAliases.has(name)) return "s2.1-pro";
  if (speechModels.some((model) => model === bare)) return bare;
  throw new ServiceError("unknown_model", {
    parameters: { models: speechModels.map((model) => `service/${model}`).join(", ") },
  });
}
