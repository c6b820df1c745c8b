import { ServiceError } from "#protocol/errors";

/** A client's mistake within a realtime session: told by an `error` event with the vendor's `code`; the session goes on. */
export function realtimeError(code: string, detail: string, parameter?: string): ServiceError {
  return new ServiceError("protocol_violation", { parameters: parameter === undefined ? { detail } : { detail, parameter }, reason: code });
}
