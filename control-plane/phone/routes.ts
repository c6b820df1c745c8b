import { validate } from "#common/http/validation";
import { availablePhoneQuery, phoneCreate, phoneListQuery, phoneUpdate, sipConfig } from "#protocol/agents/phone";
import type { ForwardedResponse } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { findAgent } from "../agents/store.js";
import { readJsonBody } from "../http/json-body.js";
import { envelope, readPage } from "../http/paging.js";
import { queryRecord } from "../http/query.js";
import { empty, json, type Route, type RouteRequest } from "../http/route.js";
import { acquireNumber } from "./acquire.js";
import type { PhoneContext } from "./context.js";
import { waitingDetail } from "./gateway/align.js";
import { placeNumber } from "./gateway/place-number.js";
import { requireProvider, toProviderError } from "./provider-of.js";
import { ProviderFailure } from "./providers/provider.js";
import { releaseNumber } from "./release.js";
import { reserveNumber } from "./reserve.js";
import { requireTrunk } from "./sip-checks.js";
import { sealPasswords, withoutPasswords } from "./sip-secrets.js";
import { findPhone, listPhones, noteDetail, toPhoneEntity, updatePhone, updateSip } from "./store.js";
import type { PhoneRow } from "./tables.js";

const inventoryCountries = ["US", "CA"] as const;

type Handler = (context: PhoneContext, request: RouteRequest) => Promise<ForwardedResponse>;

/** `/v1/agent/phone-numbers` (docs/phone.md "Numbers"). */
export function phoneRoutes(context: PhoneContext): Route[] {
  const handlers: [Route["method"], string, Handler][] = [
    ["GET", "/v1/agent/available-phone-numbers", search],
    ["GET", "/v1/agent/phone-numbers", list],
    ["POST", "/v1/agent/phone-numbers", create],
    ["GET", "/v1/agent/phone-numbers/:phone_number_id", get],
    ["PATCH", "/v1/agent/phone-numbers/:phone_number_id", patch],
    ["DELETE", "/v1/agent/phone-numbers/:phone_number_id", remove],
    ["PUT", "/v1/agent/phone-numbers/:phone_number_id/sip-config", putSipConfig],
  ];
  return handlers.map(([method, path, handler]) => ({
    method,
    path,
    scope: "agents",
    handle: (request) => handler(context, request),
  }));
}

function find({ db }: PhoneContext, request: RouteRequest): Promise<PhoneRow> {
  return findPhone(db, request.principal.teamId, request.parameters["phone_number_id"] ?? "");
}

function unsupported(detail: string): ServiceError {
  return new ServiceError("unsupported_numbers", { parameters: { detail } });
}

async function search({ providers }: PhoneContext, request: RouteRequest): Promise<ForwardedResponse> {
  const query = validate(availablePhoneQuery, queryRecord(request.query, []), ["query"]);
  const countryCode = inventoryCountries.find((code) => code === query.country_code);
  if (countryCode === undefined) throw unsupported("country_code is US or CA");
  if (query.number_type === "toll_free") throw unsupported("local numbers only");
  const inventory = requireProvider(providers, "twilio");
  const found = await inventory
    .search({ countryCode, areaCode: query.area_code ?? null })
    .catch((error: unknown) => Promise.reject(toProviderError(inventory, error)));
  return json(200, { available_phone_numbers: found });
}

async function list({ db, sealer }: PhoneContext, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const query = validate(phoneListQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, "phone-numbers", teamId, sealer);
  if (query.agent_id !== undefined) await findAgent(db, teamId, query.agent_id);
  const { read, total } = await listPhones(db, teamId, query, page);
  const shown = envelope(page, read, total);
  return json(200, { phone_numbers: shown.rows.map(toPhoneEntity), ...shown.envelope });
}

async function create(context: PhoneContext, request: RouteRequest): Promise<ForwardedResponse> {
  const { betaAccess, hasCredit, teamId } = request.principal;
  if (!betaAccess) throw new ServiceError("private_beta");
  const given = validate(phoneCreate, await readJsonBody(request), ["body"]);
  if (given.provider === "sip") await requireTrunk(context, given, null);
  // The first day of a bought number is charged before anything is bought; an imported one costs nothing.
  else if (!hasCredit) throw new ServiceError("out_of_credit");
  const row = await acquireNumber(context, await reserveNumber(context, teamId, given), "buy");
  // An imported number is there because the gateway has it; a bought one is there whatever the gateway does.
  return json(201, toPhoneEntity(given.provider === "sip" ? row : await place(context, row)));
}

/** Has LiveKit SIP told of a live number that changed; where it cannot be told now, the number says so and waits. */
async function place(context: PhoneContext, row: PhoneRow): Promise<PhoneRow> {
  const { sip, db } = context;
  if (sip === null || row.status !== "active") return row;
  const statusDetail = await placeNumber(context, sip, row).then(
    () => "",
    (error: unknown) => {
      if (error instanceof ProviderFailure) return waitingDetail(error);
      throw error;
    },
  );
  if (statusDetail !== row.statusDetail) await noteDetail(db, row, statusDetail);
  return { ...row, statusDetail };
}

async function get(context: PhoneContext, request: RouteRequest): Promise<ForwardedResponse> {
  return json(200, toPhoneEntity(await find(context, request)));
}

async function patch(context: PhoneContext, request: RouteRequest): Promise<ForwardedResponse> {
  const { id, teamId, agentId } = await find(context, request);
  const update = validate(phoneUpdate, await readJsonBody(request), ["body"]);
  const row = await updatePhone(context.db, { teamId, id }, update, context.now());
  return json(200, toPhoneEntity(row.agentId === agentId ? row : await place(context, row)));
}

async function remove(context: PhoneContext, request: RouteRequest): Promise<ForwardedResponse> {
  await releaseNumber(context, await find(context, request));
  return empty(204);
}

async function putSipConfig(context: PhoneContext, request: RouteRequest): Promise<ForwardedResponse> {
  const found = await find(context, request);
  const given = validate(sipConfig, await readJsonBody(request), ["body"]);
  if (found.sip === null) {
    const problem = { type: "value_error", loc: ["path", "phone_number_id"], msg: "This number was not imported" };
    throw new ServiceError("validation", { problems: [problem] });
  }
  await requireTrunk(context, given, found.sipSecrets);
  requireProvider(context.providers, "sip");
  const { db, sealer } = context;
  const trunk = { sip: withoutPasswords(given), sipSecrets: sealPasswords(sealer, found.id, given, found.sipSecrets) };
  const row = await updateSip(db, found, trunk, context.now());
  return json(200, toPhoneEntity(await place(context, row)));
}
