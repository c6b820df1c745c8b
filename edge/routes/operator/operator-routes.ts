import type { Metrics } from "#common/metrics/registry";
import { describeHealth } from "../../cluster/health-report.js";
import { type ClusterFacts, reasonsNotReady } from "../../cluster/readiness.js";
import { answerJson } from "../../http/answers.js";
import type { HttpRoute } from "../../http/exchange.js";

export interface OperatorRoutesOptions {
  id: string;
  facts: () => ClusterFacts;
  metrics: Metrics;
}

/** What operators, balancers and scrapers ask; none needs a key. */
export function operatorRoutes({ id, facts, metrics }: OperatorRoutesOptions): HttpRoute[] {
  const fresh = { "cache-control": "no-store" };
  return [
    {
      method: "GET",
      path: "/health",
      async handle(_request, responder) {
        answerJson(responder, 200, describeHealth({ ...facts(), id, uptimeSeconds: process.uptime() }), fresh);
      },
    },
    {
      method: "GET",
      path: "/ready",
      async handle(_request, responder) {
        const reasons = reasonsNotReady(facts());
        answerJson(responder, reasons.length === 0 ? 200 : 503, { ready: reasons.length === 0, reasons }, fresh);
      },
    },
    {
      method: "GET",
      path: "/metrics",
      async handle(_request, responder) {
        const text = await metrics.text();
        responder.begin(200, { "content-type": metrics.contentType, ...fresh });
        responder.end(Buffer.from(text));
      },
    },
  ];
}
