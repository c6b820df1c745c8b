import { recordingEntity, recordingTrackQuery } from "../agents/recording.js";
import { authentication, json, type Operation } from "./operation.js";

/** What a recording is, and where it can be downloaded. */
export const showRecording: Operation = {
  method: "GET",
  path: "/v1/agent/sessions/:session_id/recording",
  tag: "Agents",
  scope: "agents",
  summary: "Show a session's recording",
  description:
    "One track for each speaker, both on one time line. status is processing while the session lasts and until its tracks are written, " +
    "then complete or failed. A complete track has an address that everybody may download it from until expires_at; asking again gives " +
    "a new one.",
  success: { status: 200, description: "The recording.", mediaTypes: json, schema: recordingEntity },
  errors: [...authentication, "not_found", "recording_not_found"],
  curl: "",
};

/** The file behind a download address. */
export const downloadRecording: Operation = {
  method: "GET",
  path: "/v1/recordings/:session_id/:role",
  tag: "Agents",
  scope: null,
  summary: "Download a track of a recording",
  description:
    "Opus in an Ogg file, mono. The address is the url of the track, whose signature says that its bearer may; an address that is wrong " +
    "or expired leads nowhere. Takes Range with one range. Where recordings are kept in an S3 store, its answer sends clients there: follow it.",
  headers: [
    { name: "range", description: "One range of bytes, such as bytes=0-65535; the answer is a 206 then." },
    { name: "if-range", description: "The etag of an earlier answer: the range is for that file only." },
  ],
  query: recordingTrackQuery,
  success: { status: 200, description: "The file.", mediaTypes: ["audio/ogg"] },
  redirect: "The file is in an S3 store, which gives it at this address until the one that was asked for expires.",
  errors: ["recording_not_found", "range_not_satisfiable", "dependency_unavailable"],
  curl: "-L -o user.ogg",
};
