import type { ErrorCode } from "../errors.js";
import { bodyLimits, frameLimits } from "../limits.js";
import { liveQuery, MAX_WAITING_TEXT_BYTES } from "../speech/live.js";
import { speechRequest } from "../speech/request.js";
import { speakerList } from "../speech/speakers.js";
import { authentication, jsonBody, type Operation } from "./operation.js";

const speechErrors: ErrorCode[] = [
  "malformed_json",
  "malformed_msgpack",
  "unknown_model",
  "unknown_reference",
  "bad_reference_audio",
  "unsupported_language",
  "nothing_to_speak",
  ...authentication,
  "out_of_credit",
  "payload_too_large",
  "unsupported_media_type",
  "validation",
  "too_many_requests",
  "overloaded",
  "no_worker",
  "draining",
];
const speechHeaders = [
  { name: "model", description: "s2.1-pro, s2.1-pro-free, s2-pro (when absent) or s1." },
  { name: "traceparent", description: "W3C trace context; spans of this request join the caller's trace." },
];
const speechBody = {
  schema: speechRequest,
  mediaTypes: ["application/json", "application/msgpack"],
  maxBytes: bodyLimits.speech,
};

/** Text in, one audio file out. */
export const textToSpeech = {
  method: "POST",
  path: "/v1/tts" as const,
  tag: "Speech",
  scope: "speech",
  summary: "Turn text into speech",
  description:
    "The audio is sent while it is being made, as a chunked body in the chosen format. Unknown fields are ignored; null means absent.",
  headers: speechHeaders,
  body: speechBody,
  success: {
    status: 200,
    description: "The audio.",
    mediaTypes: ["audio/mpeg", "audio/wav", "audio/pcm", "audio/ogg"],
  },
  errors: speechErrors,
  curl: `-H "model: s2-pro" ${jsonBody} -d '{"text": "Hello there.", "format": "mp3"}' -o hello.mp3`,
} satisfies Operation;

/** Text in, audio and the timing of its words out. */
export const textToSpeechEvents = {
  method: "POST",
  path: "/v1/tts/stream/with-timestamp" as const,
  tag: "Speech",
  scope: "speech",
  summary: "Turn text into speech with word timings",
  description:
    "Server-sent events, one JSON object each: audio_base64, content, alignment (words with start and end in seconds, or null), " +
    "chunk_seq, chunk_audio_offset_sec. A failure in the middle is an event named error.",
  headers: speechHeaders,
  body: speechBody,
  success: { status: 200, description: "The events.", mediaTypes: ["text/event-stream"] },
  errors: speechErrors,
  curl: `-N -H "model: s2-pro" ${jsonBody} -d '{"text": "Hello there."}'`,
} satisfies Operation;

/** Whom a request may name besides saved voices. */
export const listSpeakers = {
  method: "GET",
  path: "/v1/tts/speakers",
  tag: "Speech",
  scope: "speech",
  summary: "List the speakers of a model",
  description:
    "Speakers that the voices behind the model have of their own. Their ids stand where the id of a saved voice may stand: reference_id, voice, an agent's voice_id.",
  headers: speechHeaders.slice(0, 1),
  success: {
    status: 200,
    description: "The speakers of live workers.",
    mediaTypes: ["application/json"],
    schema: speakerList,
  },
  errors: [...authentication, "unknown_model"],
  curl: `-H "model: s2-pro"`,
} satisfies Operation;

/** Text and audio on one WebSocket. */
export const liveSpeech = {
  method: "GET",
  path: "/v1/tts/live",
  tag: "Speech",
  scope: "speech",
  summary: "Speak while the text is still being written (WebSocket)",
  description:
    "Binary MessagePack maps. The client sends start {request}, text {text}, flush and stop; the server answers with audio {audio} and, " +
    "last, finish {reason: stop | error, message}. With timestamps: true beside request the server also sends timestamps {content, alignment, " +
    "chunk_seq, chunk_audio_offset_sec} before the audio of the words. After stop and finish the client may start again on the same socket, for a while. " +
    `At most ${MAX_WAITING_TEXT_BYTES} bytes of text may wait.`,
  headers: speechHeaders,
  query: liveQuery,
  maxFrameBytes: frameLimits.live,
  success: { status: 101, description: "The WebSocket is open.", mediaTypes: [] },
  errors: [...authentication, "unknown_model", "out_of_credit", "upgrade_required", "draining"],
  curl: `-i -N -H "Connection: Upgrade" -H "Upgrade: websocket" -H "Sec-WebSocket-Version: 13" -H "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="`,
} satisfies Operation;
