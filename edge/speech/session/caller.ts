import { hasScope, type Principal } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { formatTraceparent, type TraceContext } from "#common/tracing/traceparent";
import type { HttpRequest } from "../../http/exchange.js";
import { type ChosenModel, chooseModel } from "../voice/model.js";
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
 * Admits a caller by what the request's head says. Throws the errors of authentication, `missing_scope`, `unknown_model`,
 * `out_of_credit` (the free model is exempt) and `too_many_requests`.
 */
export async function admitCaller(request: HttpRequest, context: SpeechContext): Promise<Caller> {
  const arrivedAtMs = context.clock.nowMs();
  const principal = await context.authenticate(request);
  if (!hasScope(principal, "speech")) throw new ServiceError("missing_scope", { parameters: { scope: "speech" } });
  const model = chooseModel(request.header("model"), context.config);
  if (!principal.hasCredit && model.name !== "s2.1-pro-free") throw new ServiceError("out_of_credit");
  context.teamSlots.check(principal);
  const { trace } = request;
  return { principal, model, trace, traceparent: formatTraceparent(trace), arrivedAtMs };
}
