import { z } from "zod";
import { ServiceError } from "#protocol/errors";
import { MAX_TEXT_CHARACTERS, speechModels, type SpeechRequest } from "#protocol/speech/request";
import type { Config } from "#common/config/config";
import { validate } from "../../http/validation.js";
import { voiceAlias } from "../voice-alias.js";
import { type OutputFormat, readOutputFormat } from "./output-format.js";

/** `voice_settings`; what is not named here has no effect. LiveKit sends null for the whole of it. */
export const voiceSettings = z
  .object({ stability: z.number().min(0).max(1).nullish(), speed: z.number().min(0.25).max(4).nullish() })
  .nullish();

const body = z.object({
  text: z.string().max(MAX_TEXT_CHARACTERS),
  model_id: z.string().nullish(),
  voice_settings: voiceSettings,
});

/** A native request, and the model that serves it. */
export interface MappedElevenLabsSpeech {
  model: string;
  request: SpeechRequest;
}

/** Names that an operator has added. */
type Aliases = Pick<Config, "PARLEY_MODEL_ALIASES" | "PARLEY_VOICE_ALIASES">;

/**
 * Maps a body, a voice and a query to a native request (docs/protocol.md "Text to speech of ElevenLabs"). Throws
 * `validation`, `unsupported_format`, `unknown_model` and `refused_parameter`.
 */
export function mapElevenLabsSpeech(
  value: unknown,
  voiceId: string,
  query: URLSearchParams,
  config: Aliases,
): MappedElevenLabsSpeech {
  const asked = validate(body, value, ["body"]);
  const format = readOutputFormat(query.get("output_format"));
  const { model, request } = speechSettings({
    voiceId,
    modelId: asked.model_id,
    settings: asked.voice_settings,
    format,
    config,
  });
  return { model, request: { ...request, text: asked.text } };
}

/** What a request or a session says besides its text, as a native request without any. */
export function speechSettings(options: {
  voiceId: string;
  modelId: string | null | undefined;
  settings: z.infer<typeof voiceSettings>;
  format: OutputFormat;
  config: Aliases;
}): MappedElevenLabsSpeech {
  const { modelId, settings, format, config } = options;
  const voiceId = voiceAlias(config, options.voiceId);
  const speed = settings?.speed ?? undefined;
  const stability = settings?.stability ?? undefined;
  return {
    model: modelOf(modelId, config),
    request: {
      text: "",
      latency: "low",
      ...format,
      ...(["", "default", "-"].includes(voiceId) ? {} : { reference_id: voiceId }),
      ...(speed === undefined ? {} : { prosody: { speed } }),
      ...(stability === undefined ? {} : { temperature: Math.round((1 - stability) * 1e6) / 1e6 }),
    },
  };
}

/**
 * The model that a name asks for, as `chooseModel` takes it. An operator's alias wins; names with this service's prefix
 * select; what clients of the other have in their settings, without it, is `s2.1-pro`. Throws `unknown_model`.
 */
function modelOf(name: string | null | undefined, config: Aliases): string {
  const asked = name ?? "";
  // Python's `...` where its library forgot to leave a default out.
  if (asked === "Ellipsis")
    throw new ServiceError("refused_parameter", {
      parameters: { parameter: "model_id", detail: "the client sent a placeholder in its place" },
    });
  const bare = asked.replace(/^(service|fish-audio)\//, "");
  if (Object.hasOwn(config.PARLEY_MODEL_ALIASES, bare)) return bare;
  const known = speechModels.find((model) => model === bare);
  const isOfThisService = bare !== asked;
  if (isOfThisService && known === undefined) {
    throw new ServiceError("unknown_model", {
      parameters: { models: speechModels.map((model) => `service/${model}`).join(", ") },
    });
  }
  return known ?? "s2.1-pro";
}
