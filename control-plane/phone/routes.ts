import { validate } from "#common/http/validation";
import type { Sealer } from "#common/secrets/sealer";
import {
  availablePhoneQuery,
  phoneCreate,
  phoneListQuery,
  phoneUpdate,
  type SipConfig,
  sipConfig,
  sipProblems,
} from "#protocol/agents/phone";
import type { ForwardedResponse } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { findAgent } from "../agents/store.js";
import type { Db } from "../database/database.js";
import { readJsonBody } from "../http/json-body.js";
import { envelope, readPage } from "../http/paging.js";
import { queryRecord } from "../http/query.js";
import { empty, json, type Route, type RouteRequest } from "../http/route.js";
import { deletePhone, findPhone, listPhones, recordFailure, toPhoneEntity, updatePhone } from "./store.js";
import type { PhoneRow, SipRecord } from "./tables.js";

export interface PhoneDependencies {
  db: Db;
  sealer: Sealer;
  /** Wall-clock time. */
  now: () => Date;
}

/** Who would have to act; none of them can be configured in this release. */
const providerNames: Readonly<Record<PhoneRow["provider"], string>> = {
  twilio: "Twilio",
  sip: "LiveKit SIP",
  livekit: "LiveKit SIP",
};
const inventoryCountries = ["US", "CA"];

type Handler = (dependencies: PhoneDependencies, request: RouteRequest) => Promise<ForwardedResponse>;

/**
 * `/v1/agent/phone-numbers` (docs/protocol.md "Agents"). Nothing here can be bought or connected yet: requests are
 * judged in full, then answered with 502 and the name of the provider that is not configured; the number stays visible
 * in error, and can be released.
 */
export function phoneRoutes(dependencies: PhoneDependencies): Route[] {
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
    handle: (request) => handler(dependencies, request),
  }));
}

function find({ db }: PhoneDependencies, request: RouteRequest): Promise<PhoneRow> {
  return findPhone(db, request.principal.teamId, request.parameters["phone_number_id"] ?? "");
}

function missingProvider(provider: PhoneRow["provider"]): ServiceError {
  return new ServiceError("phone_provider_missing", { parameters: { provider: providerNames[provider] } });
}

function unsupported(detail: string): ServiceError {
  return new ServiceError("unsupported_numbers", { parameters: { detail } });
}

async function search(_dependencies: PhoneDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const query = validate(availablePhoneQuery, queryRecord(request.query, []), ["query"]);
  if (!inventoryCountries.includes(query.country_code)) throw unsupported("country_code is US or CA");
  if (query.number_type === "toll_free") throw unsupported("local numbers only");
  throw missingProvider("twilio");
}

async function list({ db, sealer }: PhoneDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const query = validate(phoneListQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, "phone-numbers", teamId, sealer);
  if (query.agent_id !== undefined) await findAgent(db, teamId, query.agent_id);
  const { read, total } = await listPhones(db, teamId, query, page);
  const shown = envelope(page, read, total);
  return json(200, { phone_numbers: shown.rows.map(toPhoneEntity), ...shown.envelope });
}

async function create({ db, now }: PhoneDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { betaAccess, hasCredit, teamId } = request.principal;
  if (!betaAccess) throw new ServiceError("private_beta");
  const given = validate(phoneCreate, await readJsonBody(request), ["body"]);
  if (given.provider === "sip") checkSip(given, null);
  // The first day of a bought number is charged before anything is bought; an imported one costs nothing.
  else if (!hasCredit) throw new ServiceError("out_of_credit");
  const failure = missingProvider(given.provider);
  await recordFailure(db, {
    teamId,
    phoneNumber: given.phone_number,
    provider: given.provider,
    label: given.label,
    agentId: given.agent_id,
    sip: given.provider === "sip" ? withoutPasswords(given) : null,
    failure: failure.message,
    now: now(),
  });
  throw failure;
}

function checkSip(config: SipConfig, stored: SipRecord | null): void {
  const hasStored = {
    inbound: (stored?.inbound_auth_username ?? "") !== "",
    termination: (stored?.termination_auth_username ?? "") !== "",
  };
  const problems = sipProblems(config, hasStored).map(({ field, message }) => ({
    type: "value_error",
    loc: ["body", field],
    msg: message,
  }));
  if (problems.length > 0) throw new ServiceError("validation", { problems });
}

function withoutPasswords(config: SipConfig): SipRecord {
  return {
    inbound_auth_username: config.inbound_auth_username,
    inbound_allowed_addresses: config.inbound_allowed_addresses,
    termination_uri: config.termination_uri,
    termination_transport: config.termination_transport,
    termination_auth_username: config.termination_auth_username,
  };
}

async function get(dependencies: PhoneDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  return json(200, toPhoneEntity(await find(dependencies, request)));
}

async function patch(dependencies: PhoneDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { id, teamId } = await find(dependencies, request);
  const update = validate(phoneUpdate, await readJsonBody(request), ["body"]);
  return json(200, toPhoneEntity(await updatePhone(dependencies.db, { teamId, id }, update, dependencies.now())));
}

async function remove(dependencies: PhoneDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { id, teamId, status, provider } = await find(dependencies, request);
  // What a provider holds, only the provider gives back; the row stays until it has.
  if (status !== "error") throw missingProvider(provider);
  await deletePhone(dependencies.db, teamId, id);
  return empty(204);
}

async function putSipConfig(dependencies: PhoneDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const row = await find(dependencies, request);
  const given = validate(sipConfig, await readJsonBody(request), ["body"]);
  if (row.sip === null) {
    const problem = { type: "value_error", loc: ["path", "phone_number_id"], msg: "This number was not imported" };
    throw new ServiceError("validation", { problems: [problem] });
  }
  checkSip(given, row.sip);
  throw missingProvider(row.provider);
}
