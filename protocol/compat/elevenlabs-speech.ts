import { bodyLimits } from "../limits.js";
import { type CompatOperation, type ParameterRow, rowsIn } from "./parameter.js";

/** Address of ElevenLabs' interface. */
export const elevenLabsMount = "/compat/elevenlabs";

/** Used when `output_format` is absent. */
export const defaultOutputFormat = "mp3_44100_128";

const body = rowsIn("body");
const query = rowsIn("query");

const settings: ParameterRow[] = [
  body.mapped("voice_settings.speed", "Speaking rate, 0.25 to 4.", 1.2),
  body.mapped("voice_settings.stability", "Temperature is 1 minus it.", 0.3),
  body.ignored("voice_settings.similarity_boost", "A voice is always as similar as the engine can make it.", 0.9),
  body.ignored("voice_settings.style", "Styles are written as tags into the text.", 0.4),
  body.ignored("voice_settings.use_speaker_boost", "There is no such processing.", true),
];

const speech: ParameterRow[] = [
  body.mapped("text", "The text.", "Good evening."),
  body.mapped(
    "model_id",
    "`service/s1` and the like select a model, and are a 404 where there is none of that name; every name without `service/` is `s2.1-pro`, unless `PARLEY_MODEL_ALIASES` says otherwise. The word `Ellipsis` is a 400: a library bug.",
    "service/s1",
  ),
  query.mapped(
    "output_format",
    "`mp3_<32000|44100>_<kbit/s>` (snaps up to 64, 128 or 192), `pcm_<rate>` and `wav_<rate>` with 8000, 16000, 24000, 32000 or 44100, `opus_48000`. Others are a 400, the 22.05 kHz family and telephone codecs among them.",
    "wav_44100",
  ),
  ...settings,
  body.ignored("language_code", "The text decides its language.", "en"),
  body.ignored("seed", "The same request always gives the same audio.", 7),
  body.ignored("pronunciation_dictionary_locators", "There are no dictionaries.", [
    { pronunciation_dictionary_id: "d", version_id: "v" },
  ]),
  body.ignored("previous_text", "Requests stand alone.", "Before."),
  body.ignored("next_text", "Requests stand alone.", "After."),
  body.ignored("previous_request_ids", "Requests stand alone.", ["a"]),
  body.ignored("next_request_ids", "Requests stand alone.", ["b"]),
  body.ignored("use_pvc_as_ivc", "There is one kind of voice.", true),
  body.ignored("apply_text_normalization", "Numbers, dates and the like are always read out.", "off"),
  body.ignored("apply_language_text_normalization", "Numbers, dates and the like are always read out.", true),
  body.ignored("audio_effects", "There are none.", []),
  query.ignored("enable_logging", "Texts are never logged.", "false"),
  query.ignored("optimize_streaming_latency", "Latency is always as low as it gets.", "3"),
];

const operation = (path: string, summary: string): CompatOperation => ({
  protocol: "ElevenLabs",
  method: "POST",
  path,
  summary,
  maxBytes: bodyLimits.text,
  parameters: speech,
});

/** The four ways of text to speech. */
export const elevenLabsSpeech = {
  convert: operation("/v1/text-to-speech/:voice_id", "Speaks a text."),
  stream: operation(
    "/v1/text-to-speech/:voice_id/stream",
    "Speaks a text; the same as without `/stream`, since both stream.",
  ),
  withTimestamps: operation(
    "/v1/text-to-speech/:voice_id/with-timestamps",
    "The audio and the time of each character, in one JSON object: of a text of 20,000 characters, and 40 MiB of audio in base64; longer ones are a 400.",
  ),
  streamWithTimestamps: operation(
    "/v1/text-to-speech/:voice_id/stream/with-timestamps",
    "Audio and times as they come, one JSON object a line.",
  ),
} as const;
