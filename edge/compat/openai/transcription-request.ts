import { z } from "zod";
import {
  MAX_COMPAT_AUDIO_BYTES,
  openAiTranscription,
  openAiTranscriptFormats,
  type OpenAiTranscriptFormat,
  openAiTranscriptionAliases,
} from "#protocol/compat/openai-transcription";
import { isSet } from "#protocol/compat/parameter";
import { ServiceError } from "#protocol/errors";
import { transcriptionModel } from "#protocol/transcription/request";
import { audioFields, audioBytes } from "#protocol/speech/request";
import { isMultipart } from "#common/multipart/multipart";
import { readBody } from "../../http/body.js";
import type { HttpRequest } from "../../http/exchange.js";
import { validate } from "../../http/validation.js";
import { readAudioForm, requireFile } from "../audio-form.js";
import { keytermsOf, keytermsOfPrompt, MAX_PROMPT_CHARACTERS } from "../keyterms.js";
import { refuseParameters } from "../refuse.js";
import { nativeHeaders, type OpenAiSettings } from "./speech-request.js";

type ModelNames = Pick<OpenAiSettings, "PARLEY_MODEL_ALIASES">;

/** What is to be written down, and how the answer looks. */
export interface MappedTranscription {
  audio: Uint8Array;
  /** As the caller named it; undefined when he did not. */
  language: string | undefined;
  /** Words of `keywords` and `prompt`. */
  keyterms: readonly string[];
  format: OpenAiTranscriptFormat;
  withWords: boolean;
  isStreamed: boolean;
}

/** Of a field that comes several times the last counts. */
function lastOf(schema: z.ZodString): z.ZodType<string | undefined> {
  return z.preprocess((value) => (Array.isArray(value) ? value.at(-1) : (value ?? undefined)), schema.optional());
}

const text = lastOf(z.string().max(256));

const fields = z.object({
  model: text,
  language: text,
  prompt: lastOf(z.string().max(MAX_PROMPT_CHARACTERS)),
  keywords: z.preprocess((value) => [value ?? []].flat(), z.array(z.string().max(MAX_PROMPT_CHARACTERS)).max(1000)),
  response_format: text,
  stream: z.unknown().optional(),
  timestamp_granularities: z.preprocess((value) => [value ?? []].flat(), z.array(z.string().max(64)).max(8)),
});

/** OpenRouter sends audio as JSON. */
const jsonBody = z.object({ input_audio: z.object({ data: audioBytes }) });

/**
 * Reads `POST /audio/transcriptions` (docs/protocol.md "Transcriptions of OpenAI"): a form or JSON. Throws
 * `refused_parameter`, `unknown_model`, `validation`, and what reading a form throws.
 */
export async function readOpenAiTranscription(
  request: HttpRequest,
  settings: ModelNames,
): Promise<MappedTranscription> {
  if (Object.keys(nativeHeaders((name) => request.header(name))).length > 0)
    throw refusal("X-Fish-*", "native options apply to speech only");
  const sent = isMultipart(request.header("content-type")) ? await readAudioForm(request) : await readJson(request);
  return { ...mapOpenAiTranscription(sent.values, settings), audio: bounded(requireFile(sent)) };
}

/**
 * Maps the parameters of a transcription; the audio is apart. Throws `refused_parameter`, `unknown_model`,
 * `validation`.
 */
export function mapOpenAiTranscription(
  values: Record<string, unknown>,
  settings: ModelNames,
): Omit<MappedTranscription, "audio"> {
  refuseParameters(openAiTranscription, "form", values);
  const asked = validate(fields, values, ["body"]);
  assertTranscriptionModel(asked.model, settings);
  const name = asked.response_format ?? "json";
  const format = openAiTranscriptFormats.find((candidate) => candidate === name);
  if (format === undefined) throw refusal("response_format", `use one of ${openAiTranscriptFormats.join(", ")}`);
  const language = asked.language === "" ? undefined : asked.language;
  return {
    language,
    keyterms: [...keytermsOf(asked.keywords), ...keytermsOfPrompt(asked.prompt ?? "")],
    format,
    // Some libraries join the list with commas.
    withWords: asked.timestamp_granularities.flatMap((each) => each.split(",")).some((each) => each.trim() === "word"),
    isStreamed: isSet(asked.stream),
  };
}

/** Throws `unknown_model` for what is no name of the recognizer. An operator's alias wins over other vendors' names. */
export function assertTranscriptionModel(
  name: string | undefined,
  { PARLEY_MODEL_ALIASES: aliases }: ModelNames,
): void {
  const asked = (name ?? transcriptionModel).replace(/^(service|fish-audio)\//, "");
  const bare = Object.hasOwn(aliases, asked) ? (aliases[asked] ?? asked) : asked;
  if (bare === transcriptionModel || openAiTranscriptionAliases.has(bare.replace(/^openai\//, ""))) return;
  throw new ServiceError("unknown_model", { parameters: { models: `service/${transcriptionModel}` } });
}

async function readJson(request: HttpRequest): Promise<{ values: Record<string, unknown>; file: Uint8Array }> {
  const value = await readBody(request, ["json"], audioFields);
  const { input_audio } = validate(jsonBody, value, ["body"]);
  return { values: value as Record<string, unknown>, file: input_audio.data };
}

function bounded(audio: Uint8Array): Uint8Array {
  if (audio.byteLength > MAX_COMPAT_AUDIO_BYTES)
    throw new ServiceError("payload_too_large", { parameters: { limitBytes: MAX_COMPAT_AUDIO_BYTES } });
  return audio;
}

function refusal(parameter: string, detail: string): ServiceError {
  return new ServiceError("refused_parameter", { parameters: { parameter, detail } });
}
