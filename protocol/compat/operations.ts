import { elevenLabsMount, elevenLabsSpeech } from "./elevenlabs-speech.js";
import { elevenLabsMultiStreamInput, elevenLabsStreamInput } from "./elevenlabs-socket.js";
import { elevenLabsRealtimeTranscription, elevenLabsTranscription } from "./elevenlabs-transcription.js";
import { openAiChat } from "./openai-chat.js";
import { openAiRealtime } from "./openai-realtime.js";
import { openAiMounts, openAiSpeech } from "./openai-speech.js";
import { openAiTranscription } from "./openai-transcription.js";
import type { CompatOperation } from "./parameter.js";

/** Everything that the compatibility layers answer, for the router's tests and `docs/compatibility.md`. */
export const compatOperations: readonly CompatOperation[] = [
  openAiSpeech,
  openAiTranscription,
  openAiChat,
  openAiRealtime,
  ...Object.values(elevenLabsSpeech),
  elevenLabsStreamInput,
  elevenLabsMultiStreamInput,
  elevenLabsTranscription,
  elevenLabsRealtimeTranscription,
];

/** Where each protocol's paths begin. */
export const compatMounts: Readonly<Record<CompatOperation["protocol"], readonly string[]>> = {
  "OpenAI, OpenRouter, Groq": openAiMounts,
  ElevenLabs: [elevenLabsMount],
};
