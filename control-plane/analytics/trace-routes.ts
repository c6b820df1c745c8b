import { ServiceError } from "#protocol/errors";
import { traceIdPattern } from "#protocol/traces";
import { json, type Route } from "../http/route.js";
import type { ReadTrace } from "./start.js";
import { reportTrace } from "./trace-report.js";

/** `GET /v1/traces/{trace_id}`: what was done for a request of the caller's team. Another team's is a missing one. */
export function traceRoutes(readTrace: ReadTrace): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/traces/:trace_id",
      scope: "wallet",
      handle: async ({ principal, parameters }) => {
        const traceId = parameters["trace_id"] ?? "";
        if (!traceIdPattern.test(traceId)) throw new ServiceError("not_found");
        const report = reportTrace(traceId, await readTrace(traceId), principal.teamId);
        if (report === null) throw new ServiceError("not_found");
        return json(200, report);
      },
    },
  ];
}
