import { DisconnectReason } from "@livekit/rtc-node";
import { messageOf } from "../../harness/protobuf.js";
import { anyOf } from "../psrpc/envelope.js";
import { PsrpcError } from "../psrpc/bus.js";

/** What a call that was not answered is to LiveKit: why its participant leaves, and what the one who asked is told. */
export interface InviteFailure {
  reason: DisconnectReason;
  error: PsrpcError;
}

/** Statuses for which LiveKit SIP says that the INVITE failed, and not that its status was unexpected. */
const plainFailures = new Set([400, 404, 480, 486, 488]);

/** Codes of LiveKit's protocol for statuses; those of other statuses go by their hundreds. */
const codes: Readonly<Record<number, string>> = {
  ...{ 401: "permission_denied", 402: "permission_denied", 403: "permission_denied", 404: "not_found" },
  ...{ 407: "unauthenticated", 408: "deadline_exceeded", 410: "not_found", 480: "resource_exhausted" },
  ...{ 486: "resource_exhausted", 487: "aborted", 504: "deadline_exceeded", 600: "resource_exhausted" },
  ...{ 603: "permission_denied", 604: "not_found", 607: "permission_denied", 608: "permission_denied" },
};

function codeOf(status: number): string {
  if (status >= 500 && status < 600) return codes[status] ?? "failed_precondition";
  return codes[status] ?? "invalid_argument";
}

/** Why the participant leaves: as LiveKit SIP classifies the statuses of refused calls. */
function reasonOf(status: number): DisconnectReason {
  if ([401, 403, 407, 486, 488].includes(status) || status >= 600) return DisconnectReason.USER_REJECTED;
  if ([404, 408, 480].includes(status)) return DisconnectReason.USER_UNAVAILABLE;
  // Other refusals have no case of their own there; redirections and the trunk's own failures leave without a reason.
  return status >= 400 && status < 500 ? DisconnectReason.USER_REJECTED : DisconnectReason.UNKNOWN_REASON;
}

/** An error that says a SIP status: the server puts it into its answer, as `sip_status_code` and `sip_status`. */
export function statusError(what: string, status: number, text: string): PsrpcError {
  const detail = anyOf("livekit.SIPStatus", messageOf({ 1: status, 2: text }));
  return new PsrpcError(codeOf(status), `${what}: sip status: ${status}: ${text}`, detail);
}

/** Of a call that was refused. */
export function refusal(status: number, text: string): InviteFailure {
  const what = plainFailures.has(status) ? "INVITE failed" : "unexpected status from INVITE response";
  return { reason: reasonOf(status), error: statusError(what, status, text) };
}

/** Of a call that rang in vain. */
export function noAnswer(): InviteFailure {
  return { reason: DisconnectReason.USER_UNAVAILABLE, error: new PsrpcError("canceled", "sip request timed out") };
}

/** Of a call to where nobody speaks SIP. */
export function noResponse(): InviteFailure {
  return {
    reason: DisconnectReason.USER_UNAVAILABLE,
    error: new PsrpcError("canceled", "transaction failed to complete (0 intermediate responses)"),
  };
}
