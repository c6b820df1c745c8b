import { validate } from "#common/http/validation";
import type { ForwardedResponse } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import {
  toolCreate,
  toolHopsHeader,
  type ToolList,
  toolListQuery,
  toolPatch,
  toolTestRequest,
  typedTool,
} from "#protocol/tools";
import { countDraftsByTool, draftsReferencingTool, toolsOfDraft } from "../agents/references.js";
import { readJsonBody, readOptionalJsonBody } from "../http/json-body.js";
import { envelope, readPage } from "../http/paging.js";
import { queryRecord } from "../http/query.js";
import { empty, json, type KeyedRoute, type Route, type RouteRequest } from "../http/route.js";
import { toEntity, toSummary } from "./entity.js";
import { createTool, patchTool, type SaveDependencies } from "./save.js";
import { deleteTool, findTool, listTools } from "./store.js";
import type { ToolRow } from "./table.js";
import { type TestDependencies, testTool } from "./test-request.js";

export interface ToolDependencies extends SaveDependencies, TestDependencies {}

/** `/v1/agent/tools` (docs/protocol.md "Agents"). Another team's tool answers exactly as a missing one. */
export function toolRoutes(dependencies: ToolDependencies): Route[] {
  const handlers: [
    KeyedRoute["method"],
    string,
    (dependencies: ToolDependencies, request: RouteRequest) => Promise<ForwardedResponse>,
  ][] = [
    ["GET", "/v1/agent/tools", list],
    ["POST", "/v1/agent/tools", create],
    ["GET", "/v1/agent/tools/:id", get],
    ["PATCH", "/v1/agent/tools/:id", patch],
    ["DELETE", "/v1/agent/tools/:id", remove],
    ["GET", "/v1/agent/tools/:id/agents", agents],
    ["POST", "/v1/agent/tools/:id/test", test],
  ];
  return handlers.map(([method, path, handler]) => ({
    method,
    path,
    scope: "agents",
    handle: (request) => handler(dependencies, request),
  }));
}

const toolIdOf = (request: RouteRequest): string => request.parameters["id"] ?? "";

function find({ db }: ToolDependencies, request: RouteRequest): Promise<ToolRow> {
  return findTool(db, request.principal.teamId, toolIdOf(request));
}

async function entityOf({ db }: ToolDependencies, row: ToolRow): Promise<ReturnType<typeof toEntity>> {
  const used = await countDraftsByTool(db, row.teamId, [row.id]);
  return toEntity(row, used.get(row.id) ?? 0);
}

async function list({ db, sealer }: ToolDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const query = validate(toolListQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, "tools", teamId, sealer);
  const agentId = query.agent_id;
  const toolIds = agentId === undefined ? null : await toolsOfDraft(db, teamId, agentId);
  if (agentId !== undefined && toolIds === null) throw new ServiceError("not_found");
  const { read, total } = await listTools(db, { teamId, search: query.search ?? null, toolIds }, page);
  const shown = envelope(page, read, total);
  const used = await countDraftsByTool(
    db,
    teamId,
    shown.rows.map((row) => row.id),
  );
  return json(200, {
    tools: shown.rows.map((row) => toSummary(row, used.get(row.id) ?? 0)),
    ...shown.envelope,
  } satisfies ToolList);
}

async function create(dependencies: ToolDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  if (!request.principal.betaAccess) throw new ServiceError("private_beta");
  const given = validate(toolCreate, validate(typedTool, await readJsonBody(request), ["body"]), ["body"]);
  return json(201, toEntity(await createTool(dependencies, request.principal.teamId, given), 0));
}

async function get(dependencies: ToolDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  return json(200, await entityOf(dependencies, await find(dependencies, request)));
}

async function patch(dependencies: ToolDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  await find(dependencies, request);
  const change = validate(toolPatch, await readJsonBody(request), ["body"]);
  const row = await patchTool(dependencies, request.principal.teamId, toolIdOf(request), change);
  return json(200, await entityOf(dependencies, row));
}

async function remove({ db }: ToolDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  await deleteTool(db, request.principal.teamId, toolIdOf(request));
  return empty(204);
}

async function agents(dependencies: ToolDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const row = await find(dependencies, request);
  const dependent = await draftsReferencingTool(dependencies.db, row.teamId, row.id);
  return json(200, { agents: dependent, total: dependent.length });
}

/** What is no count was not written by this service: it is the first round. */
function hopsOf({ headers }: RouteRequest): number {
  const text = headers[toolHopsHeader] ?? "";
  return /^\d{1,3}$/.test(text) ? Number(text) : 0;
}

async function test(dependencies: ToolDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const row = await find(dependencies, request);
  const given = validate(toolTestRequest, await readOptionalJsonBody(request), ["body"]);
  return json(200, await testTool(dependencies, row, given, hopsOf(request)));
}
