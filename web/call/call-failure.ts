/** Why there is no call, or no more. */
export type CallFailureCode =
  /** The person, or the browser's settings, gave no microphone. */
  | "microphone_denied"
  /** There is none, or the page may not ask: browsers give one to https and to this machine only. */
  | "microphone_missing"
  /** The agent does not allow calls from this page's origin. */
  | "origin_forbidden"
  | "agent_not_public"
  /** The agent is not there, cannot be paid for, or does not take what was sent. */
  | "agent_unavailable"
  /** Too many calls began within a minute. */
  | "too_many_calls"
  /** The service is full, or a part of it is away. */
  | "busy"
  /** No answer came. */
  | "unreachable"
  /** The room was lost in the middle of the call. */
  | "connection_lost";

/** A call that could not begin, or broke off. `message` is English, for developers. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  readonly code: CallFailureCode;
  /** HTTP status of the refusal; null where there was none. */
  readonly status: number | null;

  constructor(code: CallFailureCode, message: string, { status = null, cause }: CallFailureDetail = {}) {
    super(message, { cause });
    this.code = code;
    this.status = status;
  }
}

/** What else is known of a failure. */
export interface CallFailureDetail {
  status?: number | null;
  cause?: unknown;
}

/** What a refusal of `POST /v1/agent/sessions` means (docs/agents.md "Callers without a key"). */
export function refusalOf(status: number, body: unknown): CallFailure {
  const message = messageOf(body) ?? `The server answered with status ${status}`;
  return new CallFailure(codeOf(status, message), message, { status });
}

function codeOf(status: number, message: string): CallFailureCode {
  if (status === 429) return "too_many_calls";
  if (status >= 500) return "busy";
  if (message.includes("no published version")) return "agent_not_public";
  if (status !== 403) return "agent_unavailable";
  if (message.includes("Origin")) return "origin_forbidden";
  return message.includes("not public") ? "agent_not_public" : "agent_unavailable";
}

/** The message of an error's body (docs/protocol.md "Errors"); a 422 has a list of problems. */
function messageOf(body: unknown): string | null {
  if (Array.isArray(body)) return JSON.stringify(body);
  if (typeof body !== "object" || body === null || !("message" in body)) return null;
  return String(body.message);
}
