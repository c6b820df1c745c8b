import { z } from "zod";
import { isSet } from "#protocol/compat/parameter";
import { keytermsOfPrompt, MAX_PROMPT_CHARACTERS } from "../../keyterms.js";
import { describeFormat, formatField, readFormat, type RealtimeFormat } from "./audio-format.js";
import { realtimeError } from "./realtime-error.js";

/** What a session does until it is told otherwise. */
export interface SessionSettings {
  type: "realtime" | "transcription";
  /** A voice id; null is the model's own. */
  voice: string | null;
  speed: number;
  input: RealtimeFormat;
  output: RealtimeFormat;
  /** What the client said about transcription, echoed; null when it said nothing. */
  transcription: Record<string, unknown> | null;
  language: string | null;
  /** Words that the client expects: those of `transcription.prompt`. */
  keyterms: readonly string[];
}

export function initialSettings(type: SessionSettings["type"]): SessionSettings {
  const format: RealtimeFormat = { format: "pcm", rate: 24_000 };
  return {
    type,
    voice: null,
    speed: 1,
    input: format,
    output: format,
    transcription: null,
    language: null,
    keyterms: [],
  };
}

const voice = z.union([z.string(), z.object({ id: z.string() })]).nullish();
const transcription = z
  .looseObject({ language: z.string().nullish(), prompt: z.string().max(MAX_PROMPT_CHARACTERS).nullish() })
  .nullish();

/** The parts of a session object that have an effect, in their present and their older places. */
const update = z.object({
  type: z.enum(["realtime", "transcription"]).nullish(),
  output_modalities: z.array(z.string()).nullish(),
  modalities: z.array(z.string()).nullish(),
  audio: z
    .object({
      input: z
        .object({ format: formatField.nullish(), transcription, turn_detection: z.unknown().optional() })
        .nullish(),
      output: z.object({ format: formatField.nullish(), voice, speed: z.number().nullish() }).nullish(),
    })
    .nullish(),
  voice,
  speed: z.number().nullish(),
  input_audio_format: formatField.nullish(),
  output_audio_format: formatField.nullish(),
  input_audio_transcription: transcription,
  turn_detection: z.unknown().optional(),
});

/** The settings after a `session.update`. Throws a `realtimeError`; nothing is changed then. */
export function updateSettings(current: SessionSettings, value: unknown): SessionSettings {
  const parsed = update.safeParse(value);
  if (!parsed.success)
    throw realtimeError(
      "invalid_request",
      "The session object cannot be read",
      `session.${parsed.error.issues[0]?.path.join(".") ?? ""}`,
    );
  const asked = parsed.data;
  const { input, output } = asked.audio ?? {};
  const modalities = asked.output_modalities ?? asked.modalities;
  const isSpeaking = (asked.type ?? current.type) === "realtime";
  if (isSpeaking && modalities !== undefined && modalities !== null && !modalities.includes("audio")) {
    throw realtimeError(
      "unsupported_modality",
      "The answer is always audio: output_modalities must name audio",
      "session.output_modalities",
    );
  }
  if (isSet(input?.turn_detection) || isSet(asked.turn_detection)) {
    throw realtimeError(
      "unsupported_turn_detection",
      "Turns are ended by the client: commit the buffer",
      "session.audio.input.turn_detection",
    );
  }
  const speed = output?.speed ?? asked.speed ?? current.speed;
  if (speed < 0.25 || speed > 4)
    throw realtimeError("invalid_speed", "speed is a number from 0.25 to 4", "session.audio.output.speed");
  const inputFormat = input?.format ?? asked.input_audio_format;
  const outputFormat = output?.format ?? asked.output_audio_format;
  const asText = input?.transcription ?? asked.input_audio_transcription;
  return {
    type: asked.type ?? current.type,
    voice: voiceOf(output?.voice ?? asked.voice, current.voice),
    speed,
    input: inputFormat === undefined || inputFormat === null ? current.input : readFormat(inputFormat),
    output: outputFormat === undefined || outputFormat === null ? current.output : readFormat(outputFormat),
    transcription: asText ?? current.transcription,
    language: asText?.language ?? current.language,
    keyterms: typeof asText?.prompt === "string" ? keytermsOfPrompt(asText.prompt) : current.keyterms,
  };
}

function voiceOf(asked: z.infer<typeof voice>, current: string | null): string | null {
  if (asked === undefined || asked === null) return current;
  const id = typeof asked === "string" ? asked : asked.id;
  return id === "" || id === "default" ? null : id;
}

/** The session object as events carry it. */
export function describeSession(
  settings: SessionSettings,
  identity: { id: string; model: string },
): Record<string, unknown> {
  const input = { format: describeFormat(settings.input), transcription: settings.transcription, turn_detection: null };
  if (settings.type === "transcription")
    return { type: "transcription", object: "realtime.transcription_session", id: identity.id, audio: { input } };
  const output = { format: describeFormat(settings.output), voice: settings.voice ?? "default", speed: settings.speed };
  return {
    type: "realtime",
    object: "realtime.session",
    id: identity.id,
    model: identity.model,
    output_modalities: ["audio"],
    audio: { input, output },
  };
}
