import { bodyLimits } from "../limits.js";
import { type CompatOperation, rowsIn } from "./parameter.js";

const { mapped, ignored, refused } = rowsIn("body");

/** No language model answers here: the route speaks the last user message, or writes down what is said in it. */
export const openAiChat: CompatOperation = {
  protocol: "OpenAI, OpenRouter, Groq",
  method: "POST",
  path: "/chat/completions",
  summary: "Speaks the last user message (`modalities` with `audio`), or transcribes the `input_audio` in it.",
  maxBytes: bodyLimits.speech,
  parameters: [
    mapped(
      "messages",
      "Of the last one by the user, the text is spoken or the audio transcribed. Earlier ones have no effect.",
      [{ role: "user", content: "Another text." }],
    ),
    mapped("model", "As in `/audio/speech`, or a transcription model for audio.", "service/s1"),
    mapped("modalities", "With `audio` the text is spoken.", ["text", "audio"]),
    mapped("audio.voice", "As `voice` in `/audio/speech`.", "0123456789abcdef0123456789abcdef"),
    mapped("audio.format", "`wav`, `mp3`, `opus`, `pcm16`; `aac` and `flac` are a 400.", "mp3"),
    mapped(
      "stream",
      "Server-sent events in place of one object. One object takes a text of 20,000 characters, and 40 MiB of audio in base64; longer ones are a 400.",
      true,
    ),
    mapped("stream_options.include_usage", "A last event with the usage.", true),
    { ...refused("n", "there is one answer", 2), harmless: [1] },
    refused("tools", "no language model answers here", [{ type: "function" }]),
    ignored("temperature", "There is no language model.", 0.2),
    ignored("top_p", "There is no language model.", 0.9),
    ignored("max_tokens", "There is no language model.", 100),
    ignored("max_completion_tokens", "There is no language model.", 100),
    ignored("user", "Nothing is stored by end user.", "someone"),
    ignored("metadata", "Nothing is stored with a request.", { a: "b" }),
    ignored("seed", "The same request always gives the same audio.", 5),
    ignored("stop", "There is no language model.", ["x"]),
  ],
};
