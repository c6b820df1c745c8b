import { frameLimits } from "../limits.js";
import { type CompatOperation, rowsIn } from "./parameter.js";

const query = rowsIn("query");
const frame = rowsIn("frame");

/** Text in and audio out, or audio in and text out, event by event. */
export const openAiRealtime: CompatOperation = {
  protocol: "OpenAI, OpenRouter, Groq",
  method: "WebSocket",
  path: "/realtime",
  summary:
    "Speaks the text of conversation items, and transcribes committed audio. No language model answers: `response.create` speaks what was written.",
  maxBytes: frameLimits.audio,
  parameters: [
    query.mapped("model", "As in `/audio/speech`; OpenAI's realtime models are `s2.1-pro`.", "gpt-realtime"),
    query.mapped(
      "intent",
      "`transcription` opens a session that only transcribes: its key needs no scope but `transcription`, and it refuses `response.create`.",
      "transcription",
    ),
    query.mapped(
      "api_key",
      "The key, where no header can be set; a browser's subprotocol `openai-insecure-api-key.<key>` is taken too.",
      "pk_...",
    ),
    frame.mapped(
      "session.update",
      "Formats (`pcm16`, `wav`, `mp3`, `opus`, or a media type with a rate), voice, speed, transcription language and prompt.",
      { session: {} },
    ),
    frame.mapped("transcription_session.update", "The same for a transcription session.", { session: {} }),
    frame.mapped("conversation.item.create", "Text to be spoken by the next response.", {}),
    frame.mapped("conversation.item.delete", "Removes an item.", {}),
    frame.ignored("conversation.item.truncate", "Nothing reads what was spoken.", {}),
    frame.mapped("response.create", "Speaks the items written since the last response, or its own `input`.", {}),
    frame.mapped("response.cancel", "Ends the response being spoken.", {}),
    frame.mapped(
      "input_audio_buffer.append",
      "Audio in the input format, base64. At most 100 MiB may wait on a socket, those under way too (`input_audio_buffer_full`), and 128 MiB on a server (`rate_limit_exceeded`).",
      {},
    ),
    frame.mapped(
      "input_audio_buffer.commit",
      "The audio so far is transcribed: samples while they come in, files in a format of their own from here on. A `conversation.item.input_audio_transcription.delta` brings each stretch that is final, `.completed` the whole. When that fails (`audio_unintelligible`, `rate_limit_exceeded`, `insufficient_quota` and the like, or no code for a fault of the server), it stands in the buffer again, before what has been appended since: commit once more, or clear. At most 16 commits may wait for their transcripts (`rate_limit_exceeded`).",
      {},
    ),
    frame.mapped("input_audio_buffer.clear", "Empties the buffer.", {}),
    frame.refused("session.audio.input.turn_detection", "turns are ended by the client: commit the buffer", {
      type: "server_vad",
    }),
    frame.refused("session.output_modalities", "the answer is always audio", ["text"]),
  ],
};

/** What the socket sends, by type, and when. Every event has an `event_id` of its own. */
export const openAiRealtimeServerEvents = {
  "session.created": "The session is open; it has its settings.",
  "session.updated": "Answers session.update, with the settings as they are now.",
  "transcription_session.created": "Comes before session.created on a session that only transcribes.",
  "transcription_session.updated": "Answers transcription_session.update.",
  "conversation.item.added": "An item was written, spoken or committed.",
  "conversation.item.done": "The item is whole.",
  "conversation.item.deleted": "Answers conversation.item.delete.",
  "conversation.item.input_audio_transcription.delta": "A stretch of the transcript that is final.",
  "conversation.item.input_audio_transcription.completed": "The whole transcript, and the seconds that it counts as.",
  "conversation.item.input_audio_transcription.failed": "There is no transcript; the audio stands in the buffer again.",
  "input_audio_buffer.committed": "The audio so far is an item now.",
  "input_audio_buffer.cleared": "The buffer is empty.",
  "response.created": "A response begins.",
  "response.output_item.added": "The item that the response writes.",
  "response.content_part.added": "The audio of the item begins.",
  "response.output_audio.delta": "Audio in the output format, base64.",
  "response.output_audio.done": "There is no more audio.",
  "response.output_audio_transcript.delta": "The text of the audio that follows.",
  "response.output_audio_transcript.done": "The text that was spoken.",
  "response.content_part.done": "The audio of the item is whole.",
  "response.output_item.done": "The item is whole.",
  "response.done": "The response is completed, cancelled or failed; it has its usage.",
  error: "What the client asked for cannot be done; the session goes on.",
} as const;
export type OpenAiRealtimeServerEvent = keyof typeof openAiRealtimeServerEvents;
