import { hasScope, type Principal } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { formatTraceparent, type TraceContext } from "#common/tracing/traceparent";
import type { HttpRequest } from "../http/exchange.js";
import { type ChosenModel, chooseModel } from "#speech/voice/model";
import type { SpeechContext } from "./context.js";

/** Who asks for speech, with what, and since when. */
export interface Caller {
  principal: Principal;
  model: ChosenModel;
  trace: TraceContext;
  traceparent: string;
  arrivedAtMs: number;
}

/**
 * Admits who may speak at all, by the request's credential. Throws the errors of authentication and `missing_scope`.
 */
export async function admitSpeaker(
  request: HttpRequest,
  context: Pick<SpeechContext, "authenticate">,
): Promise<Principal> {
  const principal = await context.authenticate(request);
  if (!hasScope(principal, "speech")) throw new ServiceError("missing_scope", { parameters: { scope: "speech" } });
  return principal;
}

/**
 * Admits a speaker to a model. Throws `unknown_model`, `out_of_credit` (the free model is exempt) and
 * `too_many_requests`.
 */
export function admitToModel(options: {
  principal: Principal;
  /** The model as it was asked for; undefined is the default. */
  model: string | undefined;
  trace: TraceContext;
  arrivedAtMs: number;
  context: Pick<SpeechContext, "config" | "teamSlots">;
}): Caller {
  const { principal, trace, arrivedAtMs, context } = options;
  const model = chooseModel(options.model, context.config);
  if (!principal.hasCredit && model.name !== "s2.1-pro-free") throw new ServiceError("out_of_credit");
  context.teamSlots.check(principal);
  return { principal, model, trace, traceparent: formatTraceparent(trace), arrivedAtMs };
}

/**
 * Admits a caller of the native interface, by what the request's head says. Throws what `admitSpeaker` and
 * `admitToModel` throw.
 */
export async function admitCaller(request: HttpRequest, context: SpeechContext): Promise<Caller> {
  const arrivedAtMs = context.clock.nowMs();
  const principal = await admitSpeaker(request, context);
  return admitToModel({ principal, model: request.header("model"), trace: request.trace, arrivedAtMs, context });
}
