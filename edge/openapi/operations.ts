import { MAX_WAITING_TEXT_BYTES } from "#protocol/speech/live";
import { speechRequest } from "#protocol/speech/request";
import { modelCreate, modelEntity, modelList, modelListQuery, modelPatch, statusOk } from "#protocol/voices";
import { usageQuery, usageReport } from "#protocol/usage";
import { apiCredit, walletPackage } from "#protocol/wallet";
import type { ErrorCode } from "#protocol/errors";
import { agentOperations } from "./agent-operations.js";
import { transcriptionOperations } from "./transcription-operations.js";
import { authentication, json, jsonBody, type Operation } from "./operation.js";
import { toolOperations } from "./tool-operations.js";
import { webhookOperations } from "./webhook-operations.js";

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
const formErrors: ErrorCode[] = [
  "malformed_multipart",
  "malformed_json",
  "malformed_msgpack",
  "payload_too_large",
  "unsupported_media_type",
  "validation",
];
const formTypes = [
  "multipart/form-data",
  "application/x-www-form-urlencoded",
  "application/json",
  "application/msgpack",
];
/** What an uploaded file may be served as: its first bytes decide. */
const fileTypes = [
  "audio/wav",
  "audio/flac",
  "audio/ogg",
  "audio/mpeg",
  "audio/webm",
  "audio/mp4",
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "application/octet-stream",
];
const speechHeaders = [
  { name: "model", description: "s2.1-pro, s2.1-pro-free, s2-pro (when absent) or s1." },
  { name: "traceparent", description: "W3C trace context; spans of this request join the caller's trace." },
];
const speechBody = { schema: speechRequest, mediaTypes: ["application/json", "application/msgpack"] };

const speech: Operation[] = [
  {
    method: "POST",
    path: "/v1/tts",
    tag: "Speech",
    needsKey: true,
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
  },
  {
    method: "POST",
    path: "/v1/tts/stream/with-timestamp",
    tag: "Speech",
    needsKey: true,
    summary: "Turn text into speech with word timings",
    description:
      "Server-sent events, one JSON object each: audio_base64, content, alignment (words with start and end in seconds, or null), " +
      "chunk_seq, chunk_audio_offset_sec. A failure in the middle is an event named error.",
    headers: speechHeaders,
    body: speechBody,
    success: { status: 200, description: "The events.", mediaTypes: ["text/event-stream"] },
    errors: speechErrors,
    curl: `-N -H "model: s2-pro" ${jsonBody} -d '{"text": "Hello there."}'`,
  },
  {
    method: "GET",
    path: "/v1/tts/live",
    tag: "Speech",
    needsKey: true,
    summary: "Speak while the text is still being written (WebSocket)",
    description:
      "Binary MessagePack maps. The client sends start {request}, text {text}, flush and stop; the server answers with audio {audio} and, " +
      "last, finish {reason: stop | error, message}. After stop and finish the client may start again on the same socket, for a while. " +
      `At most ${MAX_WAITING_TEXT_BYTES} bytes of text may wait.`,
    headers: speechHeaders,
    success: { status: 101, description: "The WebSocket is open.", mediaTypes: [] },
    errors: [...authentication, "unknown_model", "out_of_credit", "upgrade_required", "draining"],
    curl: `-i -N -H "Connection: Upgrade" -H "Upgrade: websocket" -H "Sec-WebSocket-Version: 13" -H "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="`,
  },
];

const voices: Operation[] = [
  {
    method: "GET",
    path: "/model",
    tag: "Voices",
    needsKey: true,
    summary: "List voices",
    description: "Public voices and those of the caller's team. tag, language and title_language may be repeated.",
    query: modelListQuery,
    success: { status: 200, description: "One page of voices.", mediaTypes: json, schema: modelList },
    errors: [...authentication, "validation"],
    curl: "-G -d page_size=5 -d self=true",
  },
  {
    method: "POST",
    path: "/model",
    tag: "Voices",
    needsKey: true,
    summary: "Make a voice from samples",
    description:
      "In a form, voices, texts and tags are repeated parts. Samples that are silent, too short or no audio are refused.",
    body: { schema: modelCreate, mediaTypes: formTypes },
    success: { status: 201, description: "The new voice.", mediaTypes: json, schema: modelEntity },
    errors: [...authentication, ...formErrors, "bad_reference_audio"],
    curl: "-F type=tts -F train_mode=fast -F title=Mine -F visibility=private -F voices=@sample.wav",
  },
  {
    method: "GET",
    path: "/model/{id}",
    tag: "Voices",
    needsKey: true,
    summary: "Show a voice",
    description: "Another team's private voice is answered as one that does not exist.",
    success: { status: 200, description: "The voice.", mediaTypes: json, schema: modelEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH",
    path: "/model/{id}",
    tag: "Voices",
    needsKey: true,
    summary: "Change a voice",
    description: "Fields that are absent keep their value.",
    body: { schema: modelPatch, mediaTypes: formTypes },
    success: { status: 200, description: "Done.", mediaTypes: json, schema: statusOk },
    errors: [...authentication, ...formErrors, "not_found"],
    curl: `${jsonBody} -d '{"title": "Another name"}'`,
  },
  {
    method: "DELETE",
    path: "/model/{id}",
    tag: "Voices",
    needsKey: true,
    summary: "Delete a voice",
    description: "Its samples are deleted with it.",
    success: { status: 200, description: "Done.", mediaTypes: json, schema: statusOk },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "GET",
    path: "/model/{id}/samples/{position}",
    tag: "Voices",
    needsKey: true,
    summary: "Download a sample of a voice",
    description: "As it was uploaded. Positions count from 0; the voice's samples name these addresses.",
    success: { status: 200, description: "The file.", mediaTypes: fileTypes },
    errors: [...authentication, "not_found"],
    curl: "-o sample",
  },
  {
    method: "GET",
    path: "/model/{id}/cover",
    tag: "Voices",
    needsKey: true,
    summary: "Download the cover of a voice",
    description: "As it was uploaded; cover_image of the voice names this address.",
    success: { status: 200, description: "The image.", mediaTypes: fileTypes },
    errors: [...authentication, "not_found"],
    curl: "-o cover",
  },
];

const wallet: Operation[] = [
  {
    method: "GET",
    path: "/wallet/{user_id}/api-credit",
    tag: "Wallet",
    needsKey: true,
    summary: "Show the team's credit",
    description: "Credit is a decimal in text. user_id is self, or the caller's own.",
    success: { status: 200, description: "The balance.", mediaTypes: json, schema: apiCredit },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "GET",
    path: "/wallet/{user_id}/package",
    tag: "Wallet",
    needsKey: true,
    summary: "Show the team's package",
    description: "A self-hosted service sells none: the counts are zero. user_id is self, or the caller's own.",
    success: { status: 200, description: "The package.", mediaTypes: json, schema: walletPackage },
    errors: [...authentication, "not_found"],
    curl: "",
  },
];

const usage: Operation[] = [
  {
    method: "GET",
    path: "/v1/usage",
    tag: "Wallet",
    needsKey: true,
    summary: "Show what the team used",
    description:
      "Sums by day (UTC), model and key: group_by is a comma-separated list of day, model and key, day when absent. start and end are dates, " +
      "both included; the last 30 days when absent, 366 at most. A request counts a moment after its end.",
    query: usageQuery,
    success: { status: 200, description: "The sums.", mediaTypes: json, schema: usageReport },
    errors: [...authentication, "validation"],
    curl: "",
  },
];

const operation: Operation[] = [
  {
    method: "GET",
    path: "/health",
    tag: "Operation",
    needsKey: false,
    summary: "Tell how the cluster does",
    description:
      "Answers 200 as long as the process lives; status is degraded while something is missing, and problems names it.",
    success: { status: 200, description: "Members, models and problems.", mediaTypes: json },
    errors: [],
    curl: "",
  },
  {
    method: "GET",
    path: "/ready",
    tag: "Operation",
    needsKey: false,
    summary: "Tell whether speech can be served now",
    description:
      "For load balancers: 200 when the bus, the control plane, a scheduler and a worker with the default model are there; " +
      "else 503 with the reasons.",
    success: { status: 200, description: "Ready.", mediaTypes: json },
    errors: [],
    curl: "",
  },
  {
    method: "GET",
    path: "/metrics",
    tag: "Operation",
    needsKey: false,
    summary: "Metrics for Prometheus",
    description: "Text exposition format.",
    success: { status: 200, description: "The metrics.", mediaTypes: ["text/plain"] },
    errors: [],
    curl: "",
  },
];

/** The whole public interface, in the order of the documentation. */
export const operations: readonly Operation[] = [
  ...speech,
  ...transcriptionOperations,
  ...voices,
  ...agentOperations,
  ...toolOperations,
  ...webhookOperations,
  ...wallet,
  ...usage,
  ...operation,
];
