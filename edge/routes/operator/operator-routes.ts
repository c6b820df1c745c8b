import { timingSafeEqual } from "node:crypto";
import { ServiceError } from "#protocol/errors";
import * as declared from "#protocol/operations/operator";
import { systemClock } from "#common/clock";
import type { Config } from "#common/config/config";
import { sha256Hex } from "#common/identifier";
import type { Metrics } from "#common/metrics/registry";
import { bearerCredential } from "../../authentication/bearer.js";
import { gatewayProbe } from "../../cluster/gateway-probe.js";
import { describeHealth } from "../../cluster/health-report.js";
import { type ClusterFacts, reasonsNotReady } from "../../cluster/readiness.js";
import { answerJson } from "../../http/answers.js";
import { declaredRoute } from "../../http/declared-route.js";
import type { HttpRequest, HttpRoute } from "../../http/exchange.js";

export interface OperatorRoutesOptions {
  id: string;
  facts: () => ClusterFacts;
  metrics: Metrics;
  config: Pick<Config, "PARLEY_OPERATOR_TOKEN" | "PARLEY_PUBLIC_METRICS" | "LIVEKIT_URL">;
}

const fresh = { "cache-control": "no-store" };

/**
 * What operators, balancers and scrapers ask; none needs an API key. Where an operator's token is set, `/metrics` wants
 * it, and `/health` tells the others nothing but whether all is well: names of models, members and reasons are no
 * business of strangers.
 */
export function operatorRoutes({ id, facts, metrics, config }: OperatorRoutesOptions): HttpRoute[] {
  const isOperator = (request: HttpRequest): boolean =>
    config.PARLEY_OPERATOR_TOKEN === null || showsToken(request, config.PARLEY_OPERATOR_TOKEN);
  const askGateway = gatewayProbe(config.LIVEKIT_URL, systemClock);
  const scrape = declaredRoute(declared.metrics, async (request, responder) => {
    if (!isOperator(request)) throw new ServiceError("unauthenticated");
    const text = await metrics.text();
    responder.begin(200, { "content-type": metrics.contentType, ...fresh });
    responder.end(Buffer.from(text));
  });
  return [
    declaredRoute(declared.health, async (request, responder) => {
      const isTrusted = isOperator(request);
      const gateway = await askGateway();
      const report = describeHealth({ ...facts(), id, uptimeSeconds: process.uptime(), gateway });
      const shown = isTrusted ? report : { status: report.status, draining: report.draining };
      answerJson(responder, 200, shown, fresh);
    }),
    declaredRoute(declared.ready, async (request, responder) => {
      const reasons = reasonsNotReady(facts());
      const shown = { ready: reasons.length === 0, ...(isOperator(request) ? { reasons } : {}) };
      answerJson(responder, shown.ready ? 200 : 503, shown, fresh);
    }),
    ...(config.PARLEY_PUBLIC_METRICS === "on" ? [scrape] : []),
  ];
}

/** Whether a request carries the token. Digests are compared, whose length tells nothing. */
function showsToken(request: HttpRequest, token: string): boolean {
  const shown = bearerCredential(request.header("authorization"));
  return shown !== null && timingSafeEqual(Buffer.from(sha256Hex(shown)), Buffer.from(sha256Hex(token)));
}
