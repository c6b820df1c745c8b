/**
 * The error catalogue: every failure that a caller can see, declared once.
 * The edge maps a `ServiceError` to each protocol's shape; nobody else writes error bodies.
 */

/** How the default protocol renders an error: a JSON body, nothing but the status, or the 422 problem list. */
export type ErrorShape = "body" | "bare" | "problems";

interface CatalogueEntry {
  /** HTTP status. */
  status: number;
  /** Message shown to the caller; `{name}` is filled from the error's parameters. */
  message: string;
  shape?: ErrorShape;
  /** True when the same request may succeed later; the edge then adds `Retry-After`. */
  retryable?: boolean;
}

function declare<const T extends Record<string, CatalogueEntry>>(entries: T): T {
  return entries;
}

/** Codes are stable and never reused. Messages that the vendor documents are kept to the letter. */
export const errorCatalogue = declare({
  malformed_request: { status: 400, message: "Malformed HTTP request: {detail}" },
  malformed_json: { status: 400, message: "Malformed JSON" },
  malformed_msgpack: { status: 400, message: "Malformed MessagePack" },
  malformed_multipart: { status: 400, message: "Malformed multipart body: {detail}" },
  unknown_model: { status: 400, message: "Unknown model; use one of: {models}" },
  unknown_reference: { status: 400, message: "Reference voice not found" },
  bad_reference_audio: { status: 400, message: "Reference audio cannot be used: {detail}" },
  unsupported_format: { status: 400, message: "Unsupported audio format: {detail}" },
  refused_parameter: { status: 400, message: "{parameter} is not supported: {detail}" },
  unusable_audio: { status: 400, message: "The audio cannot be transcribed: {detail}" },
  unknown_language: { status: 400, message: "No loaded recognizer knows this language; available: {languages}" },
  unsupported_language: { status: 400, message: "No loaded voice speaks this language; available: {languages}" },
  conflicting_paging: { status: 400, message: "page and cursor cannot be used together" },
  invalid_cursor: { status: 400, message: "The cursor cannot be decoded" },
  page_out_of_range: { status: 400, message: "The page begins beyond row {maximum}" },
  unreadable_knowledge: { status: 400, message: "A knowledge source must be UTF-8 plain text or Markdown: {detail}" },
  unsupported_numbers: { status: 400, message: "There are no such numbers in the inventory: {detail}" },
  answer_too_long: { status: 400, message: "The answer is too long for one object: {detail}" },
  override_not_allowed: { status: 400, message: "This agent does not allow sessions to override {names}" },
  key_required: { status: 400, message: "Only requests with an API key may set {names}" },
  nothing_to_speak: { status: 400, message: "The text holds nothing to speak" },
  unauthenticated: { status: 401, message: "", shape: "bare" },
  invalid_token: { status: 401, message: "Invalid token" },
  token_expired: { status: 401, message: "Token expired" },
  out_of_credit: { status: 402, message: "Out of API credit" },
  outbound_disabled: { status: 403, message: "Outbound calls are switched off on this server" },
  missing_scope: { status: 403, message: "This API key lacks the scope {scope}" },
  private_beta: { status: 403, message: "Agent platform is in private beta; this team has no access to it" },
  agent_not_public: { status: 403, message: "Agent is not public" },
  origin_required: { status: 403, message: "Origin header is required for public agents" },
  origin_not_allowed: { status: 403, message: "Origin not allowed" },
  agent_unavailable: { status: 403, message: "Agent is unavailable" },
  phone_number_limit: { status: 403, message: "Phone number limit reached for this team ({limit})" },
  not_found: { status: 404, message: "Not found" },
  recording_not_found: { status: 404, message: "Recording not found" },
  traces_not_stored: {
    status: 404,
    message: "This server stores no traces: its operator has them stored with PARLEY_SPANS=on and ClickHouse or chDB",
  },
  number_not_found: { status: 404, message: "Phone number not found" },
  agent_not_found: { status: 404, message: "Agent not found" },
  voice_not_found: { status: 404, message: "There is no such voice" },
  method_not_allowed: { status: 405, message: "Method not allowed" },
  upload_too_slow: { status: 408, message: "The request body came more slowly than {bytesPerSecond} bytes a second" },
  conflict: { status: 409, message: "{detail}" },
  agent_not_published: { status: 409, message: "Agent has no published version" },
  phone_number_taken: { status: 409, message: "This number is already on the platform" },
  idempotency_key_conflict: { status: 409, message: "A request with this Idempotency-Key is being answered" },
  tool_attached: { status: 409, message: "Tool is attached to {count} agent(s); detach it from each first" },
  knowledge_attached: {
    status: 409,
    message: "Knowledge source is attached to {count} agent(s); detach it from each and publish again first",
  },
  payload_too_large: { status: 413, message: "The request body is larger than {limitBytes} bytes" },
  unsupported_media_type: { status: 415, message: "", shape: "bare" },
  range_not_satisfiable: { status: 416, message: "The range begins beyond the {bytes} bytes of the file" },
  validation: { status: 422, message: "Validation failed", shape: "problems" },
  idempotency_key_reuse: { status: 422, message: "This Idempotency-Key was used with another body" },
  number_provider_unsupported: { status: 422, message: "Calls cannot be made from numbers of this provider here" },
  number_termination_missing: { status: 422, message: "This number has no termination: no calls can leave from it" },
  number_inactive: { status: 422, message: "This number is not active" },
  destination_invalid: { status: 422, message: "to_number is no phone number in E.164 form" },
  destination_not_allowed: { status: 422, message: "This server does not call this destination" },
  premium_destination_blocked: { status: 422, message: "Premium-rate and satellite numbers are not called" },
  self_call_blocked: { status: 422, message: "This number is the team's own" },
  upgrade_required: { status: 426, message: "This address speaks WebSocket" },
  too_many_requests: { status: 429, message: "Too many requests at once", retryable: true },
  too_many_sessions: {
    status: 429,
    message: "Too many sessions were begun within a minute, with this agent or from this address",
    retryable: true,
  },
  daily_limit_exceeded: {
    status: 429,
    message: "This team has made its {limit} calls of today (UTC)",
    retryable: true,
  },
  concurrency_limit_exceeded: {
    status: 429,
    message: "This team has {limit} outbound calls under way",
    retryable: true,
  },
  agent_gateway_unreachable: { status: 502, message: "Agent gateway is unreachable" },
  phone_provider_missing: { status: 502, message: "{provider} is not configured on this server: set {settings}" },
  phone_provider_failed: { status: 502, message: "{provider} could not do this: {detail}" },
  tests_cannot_run: { status: 503, message: "Agent tests cannot be run: this server has no conversation runtime" },
  no_agent_runtime: { status: 503, message: "No agent runtime has room for another conversation", retryable: true },
  overloaded: { status: 503, message: "All speech capacity is in use", retryable: true },
  draining: { status: 503, message: "This server is shutting down", retryable: true },
  dependency_unavailable: { status: 503, message: "{dependency} is briefly unavailable", retryable: true },
  language_not_served: {
    status: 503,
    message: "No loaded {part} knows the language {language} of this conversation",
    retryable: true,
  },
  disk_full: { status: 503, message: "The disk of this server is full: nothing was stored", retryable: true },
  no_worker: { status: 503, message: "No worker serves the model {model} right now", retryable: true },
  synthesis_failed: {
    status: 503,
    message: "Speech could not be completed after {attempts} attempts",
    retryable: true,
  },
  transcription_failed: {
    status: 503,
    message: "The audio could not be transcribed after {attempts} attempts",
    retryable: true,
  },
  engine_failed: { status: 500, message: "The speech engine failed" },
  stalled_reader: { status: 500, message: "The connection was closed because its reader stalled" },
  protocol_violation: { status: 400, message: "{detail}" },
  audio_buffer_full: {
    status: 413,
    message: "More than {limitSeconds} seconds of audio are waiting to be transcribed",
  },
  text_buffer_full: { status: 413, message: "More than {limitBytes} bytes of text are waiting to be spoken" },
  internal: { status: 500, message: "Internal error" },
});

/** Name of one catalogue entry. */
export type ErrorCode = keyof typeof errorCatalogue;

/** One row of the 422 list (pydantic's form). The offending input value is never part of it. */
export interface Problem {
  type: string;
  loc: (string | number)[];
  msg: string;
  ctx?: Record<string, unknown>;
}

export interface ServiceErrorOptions {
  /** Values for the `{placeholders}` of the message. */
  parameters?: Record<string, string | number>;
  /** Rows of a `validation` error. */
  problems?: Problem[];
  /** Machine-readable reason, where the route documents one. */
  reason?: string;
  /** When to try again, for retryable errors. */
  retryAfterMs?: number;
  cause?: unknown;
}

/** The one error class thrown across the code base. `code` selects status, message and shape from the catalogue. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly shape: ErrorShape;
  readonly retryable: boolean;
  readonly parameters: Record<string, string | number>;
  readonly problems: Problem[];
  readonly reason: string | null;
  readonly retryAfterMs: number | null;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    const entry: CatalogueEntry = errorCatalogue[code];
    const parameters = options.parameters ?? {};
    super(fillTemplate(entry.message, parameters), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ServiceError";
    this.code = code;
    this.status = entry.status;
    this.shape = entry.shape ?? "body";
    this.retryable = entry.retryable ?? false;
    this.parameters = parameters;
    this.problems = options.problems ?? [];
    this.reason = options.reason ?? null;
    this.retryAfterMs = options.retryAfterMs ?? (this.retryable ? 1000 : null);
  }
}

function fillTemplate(template: string, parameters: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(parameters[name] ?? whole));
}

/** A ServiceError as it travels on the bus. */
export interface ErrorRecord {
  code: ErrorCode;
  parameters: Record<string, string | number>;
  problems: Problem[];
  reason: string | null;
  retryAfterMs: number | null;
}

/**
 * Gives the bus form of any thrown value; what is not a ServiceError becomes `internal` (its text stays in the log).
 */
export function toErrorRecord(error: unknown): ErrorRecord {
  const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
  const { code, parameters, problems, reason, retryAfterMs } = known;
  return { code, parameters, problems, reason, retryAfterMs };
}

/** Gives back the ServiceError that `toErrorRecord` described. */
export function fromErrorRecord(record: ErrorRecord): ServiceError {
  return new ServiceError(record.code, {
    parameters: record.parameters,
    problems: record.problems,
    reason: record.reason ?? undefined,
    retryAfterMs: record.retryAfterMs ?? undefined,
  });
}
