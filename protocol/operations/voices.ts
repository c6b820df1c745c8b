import type { ErrorCode } from "../errors.js";
import { bodyLimits } from "../limits.js";
import { modelCreate, modelEntity, modelList, modelListQuery, modelPatch, statusOk } from "../voices.js";
import { authentication, json, jsonBody, type Operation } from "./operation.js";

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
/** Saved voices. */
export const voiceOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/model",
    tag: "Voices",
    scope: "voices",
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
    scope: "voices",
    summary: "Make a voice from samples",
    description:
      "In a form, voices, texts and tags are repeated parts. Samples that are silent, too short or no audio are refused.",
    body: { schema: modelCreate, mediaTypes: formTypes, maxBytes: bodyLimits.voice },
    success: { status: 201, description: "The new voice.", mediaTypes: json, schema: modelEntity },
    errors: [...authentication, ...formErrors, "bad_reference_audio"],
    curl: "-F type=tts -F train_mode=fast -F title=Mine -F visibility=private -F voices=@sample.wav",
  },
  {
    method: "GET",
    path: "/model/:id",
    tag: "Voices",
    scope: "voices",
    summary: "Show a voice",
    description: "Another team's private voice is answered as one that does not exist.",
    success: { status: 200, description: "The voice.", mediaTypes: json, schema: modelEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH",
    path: "/model/:id",
    tag: "Voices",
    scope: "voices",
    summary: "Change a voice",
    description: "Fields that are absent keep their value.",
    body: { schema: modelPatch, mediaTypes: formTypes, maxBytes: bodyLimits.voice },
    success: { status: 200, description: "Done.", mediaTypes: json, schema: statusOk },
    errors: [...authentication, ...formErrors, "not_found"],
    curl: `${jsonBody} -d '{"title": "Another name"}'`,
  },
  {
    method: "DELETE",
    path: "/model/:id",
    tag: "Voices",
    scope: "voices",
    summary: "Delete a voice",
    description: "Its samples are deleted with it.",
    success: { status: 200, description: "Done.", mediaTypes: json, schema: statusOk },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "GET",
    path: "/model/:id/samples/:position",
    tag: "Voices",
    scope: "voices",
    summary: "Download a sample of a voice",
    description: "As it was uploaded. Positions count from 0; the voice's samples name these addresses.",
    success: { status: 200, description: "The file.", mediaTypes: fileTypes },
    errors: [...authentication, "not_found"],
    curl: "-o sample",
  },
  {
    method: "GET",
    path: "/model/:id/cover",
    tag: "Voices",
    scope: "voices",
    summary: "Download the cover of a voice",
    description: "As it was uploaded; cover_image of the voice names this address.",
    success: { status: 200, description: "The image.", mediaTypes: fileTypes },
    errors: [...authentication, "not_found"],
    curl: "-o cover",
  },
];
