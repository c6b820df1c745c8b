import { type ErrorCode, ServiceError } from "#protocol/errors";
import { errorMessage, paramOf } from "../../error-answer.js";

/**
 * A client's mistake within a realtime session: told by an `error` event with the vendor's `code`; the session goes on.
 */
export function realtimeError(code: string, detail: string, parameter?: string): ServiceError {
  return new ServiceError("protocol_violation", {
    parameters: parameter === undefined ? { detail } : { detail, parameter },
    reason: code,
  });
}

/**
 * OpenAI's code for each error of the catalogue, null where it has none: its own service says null with `server_error`,
 * and about missing scopes. `audio_unintelligible` is the one that its reference has for a failed transcription; the
 * others are those of its HTTP interface.
 */
const realtimeCodeOf: Readonly<Record<ErrorCode, string | null>> = {
  malformed_request: "invalid_value",
  malformed_json: "invalid_value",
  malformed_msgpack: "invalid_value",
  malformed_multipart: "invalid_value",
  unknown_model: "model_not_found",
  unknown_reference: "invalid_value",
  bad_reference_audio: "invalid_value",
  unsupported_format: "invalid_value",
  refused_parameter: "invalid_value",
  unusable_audio: "audio_unintelligible",
  unknown_language: "invalid_value",
  unsupported_language: "invalid_value",
  conflicting_paging: "invalid_value",
  invalid_cursor: "invalid_value",
  page_out_of_range: "invalid_value",
  unreadable_knowledge: "invalid_value",
  unsupported_numbers: "invalid_value",
  override_not_allowed: "invalid_value",
  key_required: "invalid_value",
  nothing_to_speak: "invalid_value",
  unauthenticated: "invalid_api_key",
  invalid_token: "invalid_api_key",
  token_expired: "invalid_api_key",
  out_of_credit: "insufficient_quota",
  missing_scope: null,
  private_beta: null,
  agent_not_public: null,
  origin_required: null,
  origin_not_allowed: null,
  agent_unavailable: null,
  phone_number_limit: null,
  not_found: null,
  traces_not_stored: null,
  voice_not_found: "invalid_value",
  recording_not_found: null,
  range_not_satisfiable: null,
  method_not_allowed: null,
  conflict: null,
  agent_not_published: null,
  phone_number_taken: null,
  outbound_disabled: null,
  number_not_found: null,
  agent_not_found: null,
  idempotency_key_conflict: null,
  idempotency_key_reuse: null,
  number_provider_unsupported: null,
  number_termination_missing: null,
  number_inactive: null,
  destination_invalid: null,
  destination_not_allowed: null,
  premium_destination_blocked: null,
  self_call_blocked: null,
  daily_limit_exceeded: null,
  concurrency_limit_exceeded: null,
  tool_attached: null,
  knowledge_attached: null,
  payload_too_large: "string_above_max_length",
  unsupported_media_type: null,
  validation: "invalid_value",
  upgrade_required: null,
  too_many_requests: "rate_limit_exceeded",
  too_many_sessions: "rate_limit_exceeded",
  agent_gateway_unreachable: null,
  phone_provider_missing: null,
  phone_provider_failed: null,
  tests_cannot_run: null,
  no_agent_runtime: null,
  language_not_served: null,
  overloaded: null,
  draining: null,
  dependency_unavailable: null,
  disk_full: null,
  answer_too_long: "string_above_max_length",
  upload_too_slow: null,
  no_worker: null,
  synthesis_failed: null,
  transcription_failed: null,
  engine_failed: null,
  stalled_reader: null,
  protocol_violation: "invalid_value",
  audio_buffer_full: null,
  text_buffer_full: "string_above_max_length",
  internal: null,
};

/**
 * The `error` object of `error` events, of failed responses and of failed transcriptions (docs/protocol.md "Realtime").
 */
export function realtimeErrorBody(error: ServiceError): {
  type: string;
  code: string | null;
  message: string;
  param: string | null;
} {
  // The reason of unusable audio is a word of ours; every other one is set for this protocol.
  const code =
    error.code === "unusable_audio" ? realtimeCodeOf.unusable_audio : (error.reason ?? realtimeCodeOf[error.code]);
  return { type: typeOf(error, code), code, message: errorMessage(error), param: paramOf(error) };
}

function typeOf(error: ServiceError, code: string | null): string {
  if (code === "audio_unintelligible") return "transcription_error";
  return error.status < 500 ? "invalid_request_error" : "server_error";
}
