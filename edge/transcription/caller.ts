import type { Principal } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { TraceContext } from "#common/tracing/traceparent";
import { requireScope } from "../authentication/authenticator.js";
import type { HttpRequest } from "../http/exchange.js";
import type { TranscriptionContext } from "./context.js";

/** Who asks for a transcript. */
export interface TranscriptionCaller {
  principal: Principal;
  trace: TraceContext;
}

/**
 * Admits who may transcribe at all, by the request's head. Throws the errors of authentication, `missing_scope` and
 * `out_of_credit`.
 */
export async function admitTranscriber(
  request: HttpRequest,
  context: TranscriptionContext,
): Promise<TranscriptionCaller> {
  const principal = await context.authenticate(request);
  requireScope(principal, "transcription");
  if (!principal.hasCredit) throw new ServiceError("out_of_credit");
  return { principal, trace: request.trace };
}

/** The same for one more piece of work of a team. Throws what `admitTranscriber` throws, and `too_many_requests`. */
export async function admitTranscription(
  request: HttpRequest,
  context: TranscriptionContext,
): Promise<TranscriptionCaller> {
  const caller = await admitTranscriber(request, context);
  context.teamSlots.check(caller.principal);
  return caller;
}
