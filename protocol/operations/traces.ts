import { traceReport } from "../traces.js";
import { authentication, json, type Operation } from "./operation.js";

/** What was done for a request. */
export const traceOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/v1/traces/:trace_id",
    tag: "Wallet",
    scope: "wallet",
    summary: "Show the trace of a request",
    description:
      "Who worked on a request of the team, when and for how long. The id is the trace of the traceparent that the request carried. " +
      "Spans arrive some seconds after the work, and those of a WebSocket after its end; they are kept for two weeks, where the server stores them at all.",
    success: { status: 200, description: "The trace.", mediaTypes: json, schema: traceReport },
    errors: [...authentication, "not_found", "traces_not_stored"],
    curl: "",
  },
];
