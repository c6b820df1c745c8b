import { controlSubjects, type ForwardedRequest, type ForwardedResponse, type Principal } from "#protocol/bus/control";
import type { Bus } from "#common/bus/bus";
import { formatTraceparent, type TraceContext } from "#common/tracing/traceparent";

/** A question that the edge itself has for the control plane's interface, on a caller's behalf. */
export interface Question {
  bus: Bus;
  principal: Principal;
  trace: TraceContext;
  path: string;
  query: string;
}

const ANSWER_TIMEOUT_MS = 10_000;

/** Asks with GET; gives status and parsed JSON. Throws `dependency_unavailable` when the control plane is away. */
export async function askControlPlane({
  bus,
  principal,
  trace,
  path,
  query,
}: Question): Promise<{ status: number; value: unknown }> {
  const message: ForwardedRequest = {
    method: "GET",
    path,
    query,
    principal,
    headers: { traceparent: formatTraceparent(trace) },
    body: new Uint8Array(0),
    bodyObject: null,
  };
  const answer = await bus.request<ForwardedResponse>(controlSubjects.http, message, {
    timeoutMs: ANSWER_TIMEOUT_MS,
    dependency: "The control plane",
  });
  const value: unknown = answer.body.byteLength === 0 ? null : JSON.parse(Buffer.from(answer.body).toString());
  return { status: answer.status, value };
}
