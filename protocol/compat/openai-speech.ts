import { bodyLimits } from "../limits.js";
import { type CompatOperation, rowsIn } from "./parameter.js";

/** Where Groq's library, and Vercel's provider for Groq, look for the OpenAI router. */
export const groqMount = "/compat/openai/v1";

/**
 * Addresses at which the OpenAI router answers: its own, the one that OpenRouter's library appends to, and the one of
 * Groq's.
 */
export const openAiMounts = ["/compat/v1", "/compat/api/v1", groqMount] as const;

/**
 * Audio formats that clients ask for, and what each is natively. `pcm16` is 24 kHz, `pcm` has the rate of
 * `PARLEY_COMPAT_PCM_RATE`.
 */
export const openAiFormats = { mp3: "mp3", wav: "wav", opus: "opus", pcm: "pcm", pcm16: "pcm" } as const;

/** Names of other vendors' speech models that clients have in their settings; all are served by `s2.1-pro`. */
export const openAiSpeechAliases: ReadonlySet<string> = new Set(["tts-1", "tts-1-hd", "gpt-4o-mini-tts", "playai-tts"]);

/** The key of our own fields in `provider.options` (OpenRouter's place for them). */
export const nativeOptionsKeys = ["fish-audio", "service"] as const;

const { mapped, ignored, refused } = rowsIn("body");

export const openAiSpeech: CompatOperation = {
  protocol: "OpenAI, OpenRouter, Groq",
  method: "POST",
  path: "/audio/speech",
  summary: "Speaks a text; the audio streams while it is synthesized.",
  maxBytes: bodyLimits.speech,
  parameters: [
    mapped("input", "The text.", "Good morning."),
    mapped(
      "model",
      "A model of `GET /models`, or `tts-1`, `tts-1-hd`, `gpt-4o-mini-tts`, `playai-tts`, which are `s2.1-pro`, or a name of the setting `PARLEY_MODEL_ALIASES`. Anything else is a 400.",
      "tts-1",
    ),
    mapped(
      "voice",
      "A voice id or the name of a speaker (`GET /v1/tts/speakers`), as a string or `{id}`; absent, empty or `default` is the model's own voice. Names of `PARLEY_VOICE_ALIASES` stand for the voices that the operator chose; another name that is no voice is a 400.",
      "default",
    ),
    mapped(
      "response_format",
      "`pcm` (the default; 24 kHz, or the rate of the setting `PARLEY_COMPAT_PCM_RATE`; `Content-Type: audio/pcm;rate=24000` says so), `pcm16` (24 kHz), `mp3`, `wav`, `opus`. Others are a 400.",
      "mp3",
    ),
    mapped("sample_rate", "Samples a second, among those of the format. `X-Fish-Sample-Rate` wins over it.", 44_100),
    mapped("speed", "Speaking rate, 0.25 to 4.", 1.25),
    mapped(
      "stream_format",
      "`audio` (the default), or `sse`: server-sent events `speech.audio.delta`, each with a piece of the file in base64, and `speech.audio.done` with the usage. Others are a 400.",
      "sse",
    ),
    mapped("temperature", "`temperature` of the native request.", 0.5),
    mapped("top_p", "`top_p` of the native request.", 0.5),
    mapped("repetition_penalty", "`repetition_penalty` of the native request.", 1.1),
    mapped(
      "input_references",
      'Voice samples (`{type: "input_audio"}`), each with the text that follows it: `references` of the native request.',
      [],
    ),
    mapped("provider.options.fish-audio", "Native fields of `POST /v1/tts`; they win over the fields above.", {
      chunk_length: 150,
    }),
    {
      name: "X-Fish-*",
      place: "header",
      treatment: "mapped",
      note: "Native fields as headers (`X-Fish-Chunk-Length: 150`), read as JSON; they win over everything.",
      example: "150",
    },
    refused(
      "instructions",
      "there is no voice that follows instructions; write tags into the text instead",
      "Speak like a pirate",
    ),
    ignored("user", "Nothing is stored by end user.", "someone"),
    ignored("session_id", "Requests are not grouped.", "a-session"),
    ignored("trace", "The `traceparent` header names the trace.", { trace_id: "x" }),
    ignored("metadata", "Nothing is stored with a request.", { a: "b" }),
  ],
};
