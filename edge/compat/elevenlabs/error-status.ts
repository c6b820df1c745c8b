import type { ErrorCode, ServiceError } from "#protocol/errors";

/** The words that `detail.status` may hold (docs/protocol.md "ElevenLabs"). */
export const elevenLabsStatuses = [
  "invalid_request",
  "unauthorized",
  "voice_not_found",
  "model_not_found",
  "not_found",
  "payload_too_large",
  "rate_limit_error",
  "upstream_error",
  "provider_error",
] as const;

export type ElevenLabsStatus = (typeof elevenLabsStatuses)[number];

/**
 * The word for each error of the catalogue. What the caller can mend in the request is named by what is wrong with it.
 * The rest is one of two:
 *
 * - `provider_error`: the service behind this layer took the request and refused it, or broke: a wrong key, missing
 *   credit or permission, an unknown voice in a synthesis request, a failure of its own (500);
 * - `upstream_error`: the service cannot take or finish the work now (502, 503): no capacity, no worker, a dependency
 *   that does not answer.
 */
export const elevenLabsStatusOf: Readonly<Record<ErrorCode, ElevenLabsStatus>> = {
  malformed_request: "invalid_request",
  malformed_json: "invalid_request",
  malformed_msgpack: "invalid_request",
  malformed_multipart: "invalid_request",
  unknown_model: "model_not_found",
  unknown_reference: "provider_error",
  bad_reference_audio: "invalid_request",
  unsupported_format: "invalid_request",
  refused_parameter: "invalid_request",
  unusable_audio: "invalid_request",
  unknown_language: "invalid_request",
  unsupported_language: "invalid_request",
  conflicting_paging: "invalid_request",
  invalid_cursor: "invalid_request",
  page_out_of_range: "invalid_request",
  unreadable_knowledge: "invalid_request",
  unsupported_numbers: "invalid_request",
  answer_too_long: "invalid_request",
  override_not_allowed: "invalid_request",
  key_required: "invalid_request",
  nothing_to_speak: "invalid_request",
  unauthenticated: "unauthorized",
  invalid_token: "provider_error",
  token_expired: "provider_error",
  out_of_credit: "provider_error",
  missing_scope: "provider_error",
  private_beta: "provider_error",
  agent_not_public: "provider_error",
  origin_required: "provider_error",
  origin_not_allowed: "provider_error",
  agent_unavailable: "provider_error",
  phone_number_limit: "provider_error",
  not_found: "not_found",
  traces_not_stored: "not_found",
  voice_not_found: "voice_not_found",
  recording_not_found: "not_found",
  range_not_satisfiable: "invalid_request",
  method_not_allowed: "invalid_request",
  conflict: "invalid_request",
  agent_not_published: "invalid_request",
  phone_number_taken: "invalid_request",
  outbound_disabled: "provider_error",
  number_not_found: "not_found",
  agent_not_found: "not_found",
  idempotency_key_conflict: "invalid_request",
  idempotency_key_reuse: "invalid_request",
  number_provider_unsupported: "invalid_request",
  number_termination_missing: "invalid_request",
  number_inactive: "invalid_request",
  destination_invalid: "invalid_request",
  destination_not_allowed: "invalid_request",
  premium_destination_blocked: "invalid_request",
  self_call_blocked: "invalid_request",
  daily_limit_exceeded: "rate_limit_error",
  concurrency_limit_exceeded: "rate_limit_error",
  tool_attached: "invalid_request",
  knowledge_attached: "invalid_request",
  payload_too_large: "payload_too_large",
  upload_too_slow: "invalid_request",
  unsupported_media_type: "invalid_request",
  validation: "invalid_request",
  upgrade_required: "invalid_request",
  too_many_requests: "rate_limit_error",
  too_many_sessions: "rate_limit_error",
  agent_gateway_unreachable: "upstream_error",
  phone_provider_missing: "upstream_error",
  phone_provider_failed: "upstream_error",
  tests_cannot_run: "upstream_error",
  no_agent_runtime: "upstream_error",
  language_not_served: "upstream_error",
  overloaded: "upstream_error",
  draining: "upstream_error",
  dependency_unavailable: "upstream_error",
  disk_full: "upstream_error",
  no_worker: "upstream_error",
  synthesis_failed: "upstream_error",
  transcription_failed: "upstream_error",
  engine_failed: "provider_error",
  stalled_reader: "provider_error",
  protocol_violation: "invalid_request",
  audio_buffer_full: "payload_too_large",
  text_buffer_full: "payload_too_large",
  internal: "provider_error",
};

/**
 * The HTTP status that goes with it: a model that there is not is a 404 here, and this protocol knows no 422 of ours.
 */
export function elevenLabsHttpStatus(error: ServiceError): number {
  if (elevenLabsStatusOf[error.code] === "model_not_found") return 404;
  return error.status === 422 ? 400 : error.status;
}
