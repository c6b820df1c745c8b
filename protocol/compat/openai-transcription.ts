import { bodyLimits } from "../limits.js";
import { type CompatOperation, rowsIn } from "./parameter.js";

const { mapped, ignored, refused } = rowsIn("form");

/** Names of other vendors' recognizers that clients have in their settings; all are served by `transcribe-1`. */
export const openAiTranscriptionAliases: ReadonlySet<string> = new Set([
  "whisper-1",
  "gpt-4o-transcribe",
  "gpt-4o-mini-transcribe",
  "whisper-large-v3",
  "whisper-large-v3-turbo",
  "distil-whisper-large-v3-en",
]);

export const openAiTranscriptFormats = ["json", "text", "srt", "verbose_json", "vtt"] as const;
export type OpenAiTranscriptFormat = (typeof openAiTranscriptFormats)[number];

/** Largest audio of the compatibility layers, and of a body around it. */
export const MAX_COMPAT_AUDIO_BYTES = 100 * 1024 * 1024;
export const MAX_COMPAT_AUDIO_BODY_BYTES = 140 * 1024 * 1024;
/**
 * Shortest audio of the compatibility layers, seconds: a word. Who cuts at pauses sends them, and OpenAI takes as much
 * (its error for less says "Minimum audio length is 0.1 seconds").
 */
export const MIN_COMPAT_AUDIO_SECONDS = 0.1;

export const openAiTranscription: CompatOperation = {
  protocol: "OpenAI, OpenRouter, Groq",
  method: "POST",
  path: "/audio/transcriptions",
  summary: "Transcribes a file: as a form, or as JSON with `input_audio: {data, format}`.",
  maxBytes: bodyLimits.compatAudio,
  parameters: [
    mapped("file", "The audio, 0.1 seconds to 60 minutes and at most 100 MB.", "(bytes)"),
    mapped(
      "model",
      "`service/transcribe-1`, or `whisper-1`, `gpt-4o-transcribe` and other vendors' names for it, or a name of the setting `PARLEY_MODEL_ALIASES`. Anything else is a 400.",
      "whisper-1",
    ),
    mapped("language", "What is spoken; a language that no recognizer knows is a 400.", "en"),
    mapped("response_format", "`json`, `text`, `srt`, `verbose_json`, `vtt`. Others are a 400.", "vtt"),
    mapped(
      "prompt",
      "Its rarer words are found more readily and written as here; nothing else of it counts. At most 20,000 characters.",
      "Names: Parley, Okta",
    ),
    mapped("keywords", "Words that are found more readily.", "Parley"),
    mapped("timestamp_granularities[]", "`word` adds `words` to `verbose_json`; also without the brackets.", "word"),
    mapped("stream", "`true` sends the text as server-sent events while it is being recognized.", "true"),
    refused("include", "log probabilities are part of verbose_json only", "logprobs"),
    refused("known_speaker_names", "speakers are not distinguished", "Anna"),
    refused("known_speaker_references", "speakers are not distinguished", "data:audio/wav;base64,AA=="),
    refused("url", "files must be sent along", "https://example.com/a.wav"),
    refused("provider", "native options apply to speech only", '{"options":{}}'),
    ignored("languages", "One language at a time.", "en"),
    ignored("temperature", "The same audio always gives the same text.", "0.2"),
    ignored("chunking_strategy", "Audio is always cut at pauses.", "auto"),
    ignored("user", "Nothing is stored by end user.", "someone"),
    ignored("session_id", "Requests are not grouped.", "a"),
    {
      name: "X-Fish-*",
      place: "header",
      treatment: "refused",
      note: "native options apply to speech only",
      example: "1",
    },
  ],
};
