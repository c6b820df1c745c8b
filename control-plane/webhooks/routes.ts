import type { Bus } from "#common/bus/bus";
import { validate } from "#common/http/validation";
import type { Sealer } from "#common/secrets/sealer";
import type { ForwardedResponse } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { webhookDeliveryListQuery, webhookWakeSubject } from "#protocol/webhooks";
import type { Db } from "../database/database.js";
import { queryRecord } from "../http/query.js";
import { json, type Route, type RouteRequest } from "../http/route.js";
import { findDelivery, listDeliveries, redeliver } from "./log.js";

export interface WebhookDependencies {
  db: Db;
  bus: Bus;
  sealer: Sealer;
  now: () => Date;
}

/**
 * `/v1/agent/webhook-deliveries`: the log of deliveries, and doing one again by hand. Another team's delivery answers
 * as a missing one.
 */
export function webhookRoutes(dependencies: WebhookDependencies): Route[] {
  const handlers: [
    Route["method"],
    string,
    (dependencies: WebhookDependencies, request: RouteRequest) => Promise<ForwardedResponse>,
  ][] = [
    ["GET", "/v1/agent/webhook-deliveries", list],
    ["GET", "/v1/agent/webhook-deliveries/:id", get],
    ["POST", "/v1/agent/webhook-deliveries/:id/redeliver", again],
  ];
  return handlers.map(([method, path, handler]) => ({
    method,
    path,
    scope: "agents",
    handle: (request) => handler(dependencies, request),
  }));
}

/** Throws `not_found` for what cannot be an id: not everything that fits into a path may be asked of the database. */
function deliveryIdOf(request: RouteRequest): string {
  const id = request.parameters["id"] ?? "";
  if (!/^[0-9a-f]{32}$/.test(id)) throw new ServiceError("not_found");
  return id;
}

async function list({ db, sealer }: WebhookDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const query = validate(webhookDeliveryListQuery, queryRecord(request.query, []), ["query"]);
  return json(200, await listDeliveries(db, query, request.principal.teamId, sealer));
}

async function get({ db }: WebhookDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const found = await findDelivery(db, deliveryIdOf(request), request.principal.teamId);
  if (found === null) throw new ServiceError("not_found");
  return json(200, found);
}

async function again({ db, bus, sealer, now }: WebhookDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const made = await redeliver(db, { id: deliveryIdOf(request), teamId, now: now(), sealer });
  if (made === null) throw new ServiceError("not_found");
  if (made === "pending")
    throw new ServiceError("conflict", { parameters: { detail: "This delivery is still being attempted" } });
  bus.publish(webhookWakeSubject, {});
  const delivery = await findDelivery(db, made.id, teamId);
  if (delivery === null) throw new ServiceError("not_found");
  return json(202, delivery);
}
